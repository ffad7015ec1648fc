/** Projections that are folded, committed and announced as one. */
export type GroupName = 'ledger' | 'state' | 'dimensions'

/**
 * Raised when a group folds to other rows, stores them in another form, or keeps its state in
 * another one: `test/projector/group-versions.spec.ts` tells. Tables, progress, announcements,
 * volumes and consumer groups are of one version, so that a release folds its own beside the one
 * that is served (`libs/design/versions.md`).
 */
export const groupVersions: Readonly<Record<GroupName, number>> = {
  ledger: 2,
  state: 2,
  dimensions: 1,
}

/** Names a version of a group wherever several are side by side: `state`, `state_2`. */
export const groupIdOf = (group: GroupName, version: number): string =>
  version === 1 ? group : `${group}_${version}`

/** The same of the version of this release. */
export const groupId = (group: GroupName): string => groupIdOf(group, groupVersions[group])

/**
 * Name of a table in a version of its group: `holders`, `holders_state_2`. The first version has
 * plain names, as what was stored before there were others is of it.
 */
export const tableNameOf = (name: string, group: GroupName, version: number): string =>
  version === 1 ? name : `${name}_${groupIdOf(group, version)}`

export const isGroupName = (name: string): name is GroupName => name in groupVersions

/** All groups, in the order of their declaration. */
export const groupNames: readonly GroupName[] = Object.keys(groupVersions).filter(isGroupName)

const groupsById = new Map(groupNames.map((group) => [groupId(group), group]))

/** Null for another version of a group. */
export const groupOfId = (id: string): GroupName | null => groupsById.get(id) ?? null
