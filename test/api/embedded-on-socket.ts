import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { startEmbedded } from '../oracle/embedded-services.ts'
import { knowledgeOf } from '../oracle/knowledge.ts'
import { subjectsOf } from '../oracle/subjects.ts'
import { mainnetId, mainnetMessages } from '../support/mainnet-messages.ts'

/** Subjects of a kind: the busiest, whose lists go on for pages. */
const busiest = 12

/** The embedded services with these real blocks, served on a real socket. */
export async function embeddedOnSocket(numbers: readonly number[]) {
  const embedded = await startEmbedded(mainnetId)
  const published = await mainnetMessages(numbers)
  const stored = published.map((value) => ({ key: `${mainnetId}`, value: encodeMessage(value) }))
  await embedded.eventLog.append('blocks', stored)
  await embedded.reached(published.length, numbers.at(-1) ?? 0)
  const server = await uwsServer({ port: 0, handler: embedded.handler, log: silentLog })
  const { addresses, tokens, transactions } = subjectsOf(knowledgeOf(published))
  return {
    origin: `http://127.0.0.1:${server.port}`,
    subjects: {
      addresses: addresses.slice(0, busiest),
      tokens: tokens.slice(0, busiest),
      transactions: transactions.slice(0, busiest),
    },
    async stop() {
      await server.close()
      await embedded.stop()
    },
  }
}
