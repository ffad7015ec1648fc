import type { KafkaAccess } from './kafka-client.ts'
import { withAdmin } from './with-admin.ts'

/** Living members of all of these consumer groups together. @throws LogUnavailable */
export const membersOf = (of: KafkaAccess, groupIds: readonly string[]): Promise<number> =>
  withAdmin(of, 'fetching the members of consumer groups', async (admin) => {
    const { groups } = await admin.describeGroups([...groupIds])
    return groups.reduce((sum, { members }) => sum + members.length, 0)
  })
