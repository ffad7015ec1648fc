import { z } from 'zod'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { decodedReader } from '../../services/projector/reading/decoded-reader.ts'
import { generatedChain } from '../generated-chain.ts'

/**
 * Both groups in a process: forked, it folds the first blocks of a generated chain; a message
 * `true` lets a block arrive each second, `false` ends that. It sends `{ folded }` after the first
 * blocks and after the last, and `{ changes }`, announcements in base64.
 */
const [url = '', username = '', password = '', database = '', shape = '', first = ''] =
  process.argv.slice(2)
const blockMs = 1_000
const readLimit = { messagesMax: 100, bytesMax: 4 * 1024 * 1024 }

const store = clickhouseStore({ url, username, password, database })
const eventLog = memoryEventLog()
const reader = decodedReader(eventLog)
const chain = generatedChain(JSON.parse(shape))
let last = 0

async function append(): Promise<void> {
  const { value: message } = chain.next()
  if (message === undefined) throw new Error('the chain is too short')
  await eventLog.append('blocks', [{ key: `${message.chainId}`, value: encodeMessage(message) }])
  last++
}

async function sendChanges(): Promise<void> {
  for (let offset = 0; ; ) {
    await eventLog.waitBeyond('changes', offset, new AbortController().signal)
    const messages = await eventLog.read('changes', offset, readLimit)
    offset += messages.length
    const changes = messages.map(({ value }) => Buffer.from(value).toString('base64'))
    process.send?.({ changes })
  }
}

while (last < Number(first)) await append()
const projectors = [ledger, stateGroup].map((group) =>
  startProjector({ group, eventLog, reader, store, state: memoryStateStore() }),
)
const folded = async () => {
  await Promise.all(projectors.map((projector) => projector.waitFor(last)))
  process.send?.({ folded: last })
}
void sendChanges()
await folded()

let timer: NodeJS.Timeout | undefined
process.on('message', (message) => {
  clearInterval(timer)
  if (z.boolean().parse(message)) timer = setInterval(() => void append(), blockMs)
  else void folded()
})
process.on('disconnect', () => process.exit())
