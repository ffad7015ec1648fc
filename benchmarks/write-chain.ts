import { lmdbEventLog } from '../libs/adapters/lmdb/lmdb-event-log.ts'
import type { EventLog } from '../libs/ports/event-log.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { type ChainShape, generatedChain } from './generated-chain.ts'

const appendMessages = 64

/**
 * Writes a generated chain into the log of a folder: `write-chain.ts FOLDER SHAPE-AS-JSON`. A
 * process of its own, as it remembers who holds what; that memory is not what folding needs.
 */
async function writeChain(eventLog: EventLog, shape: ChainShape): Promise<void> {
  let messages: { key: string; value: Uint8Array }[] = []
  for (const message of generatedChain(shape)) {
    messages.push({ key: String(message.chainId), value: encodeMessage(message) })
    if (messages.length < appendMessages) continue
    await eventLog.append('blocks', messages)
    messages = []
  }
  if (messages.length > 0) await eventLog.append('blocks', messages)
}

const [folder = '', shape = ''] = process.argv.slice(2)
const eventLog = lmdbEventLog({ folder })
await writeChain(eventLog, JSON.parse(shape))
await eventLog.close()
