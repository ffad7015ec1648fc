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
  const at = (group: GroupName, version: number) =>
    standings.find((one) => one.group === group && one.version === version)?.position ?? 0
  return standings.flatMap(({ group, version, position }) => {
    const reached = at(group, own[group])
    if (version === own[group] || position - reached <= behindMax) return []
    const [name, other] = [groupIdOf(group, own[group]), groupIdOf(group, version)]
    return [`${name} is at ${reached}, ${other} at ${position}`]
  })
}
