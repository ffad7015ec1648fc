import type { Log } from '../../signals/log.ts'
import { type KafkaConnection, kafkaClient, kafkaLimits, withCallTimeout } from './kafka-client.ts'
import { kafkaError } from './kafka-error.ts'

interface MembersOptions {
  readonly place: KafkaConnection
  readonly log: Log
}

/** Living members of all of these consumer groups together. @throws LogUnavailable */
export async function membersOf(
  { place, log }: MembersOptions,
  groupIds: readonly string[],
): Promise<number> {
  const admin = kafkaClient(place, kafkaLimits, log).admin()
  const what = 'fetching the members of consumer groups'
  const asked = async () => {
    await admin.connect()
    const { groups } = await admin.describeGroups([...groupIds])
    return groups.reduce((sum, { members }) => sum + members.length, 0)
  }
  try {
    return await withCallTimeout(kafkaLimits.callTimeoutMs, what, asked())
  } catch (error) {
    throw kafkaError(what, error)
  } finally {
    admin.disconnect().catch(() => {})
  }
}
