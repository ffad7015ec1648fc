import type { EventLog, StoredMessage } from '../../../libs/ports/event-log.ts'
import { StartupError } from '../refusal.ts'
import type { ServiceContext } from './serve.ts'
import { waitUntilReady } from './until-there.ts'

const topic = 'blocks'

/**
 * The log of the expected chain: compares the key of the first message in `blocks`, now or as soon
 * as there is one.
 * @throws StartupError, here or from `read`; the service then ends, although readers would retry
 */
export async function logWithChainCheck(
  bed: Pick<ServiceContext, 'log' | 'health' | 'signal' | 'parts'>,
  log: EventLog,
  chainId: number,
): Promise<EventLog> {
  let isSure = false
  const look = async () => {
    const begin = await log.begin(topic)
    const [first] = await log.read(topic, begin, { messagesMax: 1, bytesMax: 1 })
    if (first !== undefined) refuseOther(first, chainId)
    isSure = first !== undefined
  }
  await waitUntilReady(bed, look)
  if (isSure) return log
  let end: (refusal: unknown) => void = () => {}
  const failed = new Promise<unknown>((resolve) => {
    end = resolve
  })
  bed.parts.add({ name: 'chain of the log', stop: async () => {}, failed })
  return {
    append: (to, messages) => log.append(to, messages),
    begin: (of) => log.begin(of),
    end: (of) => log.end(of),
    waitBeyond: (of, offset, signal) => log.waitBeyond(of, offset, signal),
    close: () => log.close(),
    async read(from, offset, limit) {
      const messages = await log.read(from, offset, limit)
      if (isSure || messages.length === 0) return messages
      await look().catch((error: unknown) => {
        if (error instanceof StartupError) end(error)
        throw error
      })
      return messages
    },
  }
}

function refuseOther({ key }: StoredMessage, chainId: number): void {
  // A key that is no number says nothing; what the message holds is judged when it is folded.
  if (!/^\d+$/.test(key) || key === String(chainId)) return
  throw new StartupError(
    `Topic ${topic} holds chain ${key}, the tables are of chain ${chainId}: ` +
      'give this deployment topics of its own with --kafka-topic-prefix.',
  )
}
