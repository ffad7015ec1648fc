import { type GroupName, groupId } from '../../libs/tables/declare/group-versions.ts'

/** Name of the projector of a group in the chart, without the release. */
export const projectorOf = (group: GroupName): string =>
  `projector-${groupId(group).replace('_', '-')}`
