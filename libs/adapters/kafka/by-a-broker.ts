import { LogUnavailable } from '../../ports/event-log.ts'

/**
 * An answer of kafkajs that comes from any broker. Where the last connected one goes away at just
 * that moment, kafkajs asks nobody, and stumbles over its own missing answer.
 * @throws LogUnavailable then
 */
export async function requireBroker<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof TypeError) throw new LogUnavailable('no broker is connected')
    throw error
  }
}
