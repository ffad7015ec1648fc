import type { Log } from '../../signals/log.ts'
import { type KafkaConnection, kafkaClient } from './kafka-client.ts'
import { kafkaError } from './kafka-error.ts'
import { type KafkaLimits, kafkaLimits } from './kafka-limits.ts'
import { withCallTimeout } from './with-call-timeout.ts'

export interface GroupOnTopic {
  readonly groupId: string
  readonly topic: string
}

export interface GroupOffsetsOptions {
  readonly place: KafkaConnection
  readonly signals: Log
  readonly limits?: Partial<KafkaLimits>
}

/**
 * Committed offset of each group on its topic, in the order of the groups; committed every few
 * seconds, for monitoring. Null if none is committed.
 *
 * @throws LogUnavailable
 */
export async function groupOffsets(
  { place, signals, limits }: GroupOffsetsOptions,
  groups: readonly GroupOnTopic[],
): Promise<readonly (number | null)[]> {
  const bounds = { ...kafkaLimits, ...limits }
  const admin = kafkaClient(place, bounds, signals).admin()
  const what = 'fetching the committed offsets of consumer groups'
  const asked = async () => {
    await admin.connect()
    const said: (number | null)[] = []
    for (const { groupId, topic } of groups) {
      const [of] = await admin.fetchOffsets({ groupId, topics: [topic] })
      const offset = Number(of?.partitions[0]?.offset ?? -1)
      said.push(offset < 0 ? null : offset)
    }
    return said
  }
  try {
    return await withCallTimeout(bounds.callTimeoutMs, what, asked())
  } catch (error) {
    throw kafkaError(what, error)
  } finally {
    admin.disconnect().catch(() => {})
  }
}
