import type { Store } from '../../../libs/ports/store.ts'
import { type Standing, standingsOf } from '../../../libs/queries/group-standings.ts'
import {
  type GroupName,
  groupIdOf,
  groupVersions,
} from '../../../libs/tables/declare/group-versions.ts'
import { offsetAfterVersion } from '../../../libs/topics/facts/fact-version.ts'
import { factTopicNames } from '../../../libs/topics/topics.ts'
import { NotReady } from './wait-until-ready.ts'

/** Messages that a version may be behind another one when readers are switched to it. */
const behindMax = 8

/** Of all groups in all versions, by the tables. */
export const versionStandings = (store: Pick<Store, 'query'>): Promise<readonly Standing[]> =>
  standingsOf(store, {
    names: factTopicNames,
    offsetAfter: (version) => offsetAfterVersion(version).offset,
  })

/**
 * A release that folds a version of its own answers only once it has what another version has: a
 * rolling update keeps the api processes of the other release until then.
 * @throws NotReady
 */
export async function requireVersions(store: Pick<Store, 'query'>): Promise<void> {
  const behind = versionsBehind(await versionStandings(store), groupVersions)
  if (behind.length > 0) throw new NotReady('version-behind', behind.join('; '))
}

/** A sentence for each version of a release that lacks what another one of its group has. */
export function versionsBehind(
  standings: readonly Standing[],
  own: Readonly<Record<GroupName, number>>,
): readonly string[] {
  return standings.flatMap((other) => {
    const { group, version, position } = other
    const mine = standings.find((one) => one.group === group && one.version === own[group])
    if (version === own[group] || !lacks(mine, other)) return []
    const [name, named] = [groupIdOf(group, own[group]), groupIdOf(group, version)]
    return [`${name} is at ${mine?.position ?? 0}, ${named} at ${position}`]
  })
}

/**
 * Of facts topic by topic. One that was replaced since the other version read it has other facts;
 * a version that began after that has read it in its first epoch.
 */
function lacks(mine: Standing | undefined, other: Standing): boolean {
  if (other.group !== 'dimensions') return other.position - (mine?.position ?? 0) > behindMax
  return Object.entries(other.topics).some(([topic, there]) => {
    const [own, theirs] = [offsetAfterVersion(mine?.topics[topic] ?? 0), offsetAfterVersion(there)]
    return own.epoch <= theirs.epoch && theirs.offset - own.offset > behindMax
  })
}
