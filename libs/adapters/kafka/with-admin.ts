import type { Admin } from 'kafkajs'
import { type KafkaAccess, kafkaClient, kafkaLimits, withCallTimeout } from './kafka-client.ts'
import { kafkaError } from './kafka-error.ts'

/**
 * Asks the brokers on a connection of its own, within the time of one call.
 * @param what it does, for the error
 * @throws LogUnavailable
 */
export async function withAdmin<T>(
  { place, log, limits }: KafkaAccess,
  what: string,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  const bounds = { ...kafkaLimits, ...limits }
  const admin = kafkaClient(place, bounds, log).admin()
  const asked = async () => {
    await admin.connect()
    return await ask(admin)
  }
  try {
    return await withCallTimeout(bounds.callTimeoutMs, what, asked())
  } catch (error) {
    throw kafkaError(what, error)
  } finally {
    admin.disconnect().catch(() => {})
  }
}
