import { Redis } from 'ioredis'
import type { RedisAddress } from '../../deploy/stack/redis.ts'

/** What only tests do to a Redis. */
export async function withRedis<T>(
  { url }: RedisAddress,
  use: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: 3 })
  redis.on('error', () => {})
  try {
    return await use(redis)
  } finally {
    redis.disconnect()
  }
}
