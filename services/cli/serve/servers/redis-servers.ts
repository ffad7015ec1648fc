import { redisAddress } from '../../../../libs/adapters/redis/redis-client.ts'
import { urlsIn } from '../../../../libs/adapters/redis/server-of-key.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'

/**
 * The URLs of `--redis-url`, each once.
 * @throws StartupError that repeats nothing of the setting: it may hold passwords
 */
export function redisServers(setting: string): readonly string[] {
  const urls = checked('', () => urlsIn(setting))
  const pieces = setting.split(',')
  for (const [at, piece] of pieces.entries()) {
    const place = pieces.length > 1 ? `part ${at + 1} between commas: ` : ''
    checked(place, () => redisAddress(piece.trim()))
  }
  return urls
}

function checked<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    throw new StartupError(
      `FOLDSCAN_REDIS_URL (--redis-url) cannot be read: ${place}${because}. ` +
        'A comma within a user or password is written %2C.',
    )
  }
}
