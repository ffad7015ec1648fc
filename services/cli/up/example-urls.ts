import { z } from 'zod'
import type { Block } from '../../../libs/chain/block.ts'
import { jsonInPieces } from '../../../libs/chain/json-in-pieces.ts'
import { type Pause, pauses } from '../../../libs/chain/pauses.ts'
import type { EventLog, ReadLimit } from '../../../libs/ports/event-log.ts'
import type { HttpHandler } from '../../../libs/ports/http.ts'
import { BlockTransfers } from '../../../libs/projections/transfers.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import { decodeInPieces } from '../../../libs/topics/decode-in-pieces.ts'
import { MessageAssembler, parsePart } from '../../../libs/topics/parts.ts'

interface ExamplePage {
  readonly what: string
  readonly path: string
}

interface Page {
  readonly what: string
  readonly path: (subject: string) => string
  readonly of: keyof Subjects
}

const address = (list: string) => (hash: string) => `/api/v2/addresses/${hash}/${list}`
const token = (list: string) => (hash: string) => `/api/v2/tokens/${hash}${list}`
const transaction = (list: string) => (hash: string) => `/api/v2/transactions/${hash}/${list}`

/** Each endpoint once. */
const pages: readonly Page[] = [
  { what: 'tokens an address holds', of: 'recipients', path: address('tokens') },
  { what: 'transactions of an address', of: 'addresses', path: address('transactions') },
  { what: 'all its token balances', of: 'recipients', path: address('token-balances') },
  { what: 'NFTs an address owns', of: 'collectors', path: address('nft') },
  { what: 'transfers of a token', of: 'tokens', path: token('/transfers') },
  { what: 'logs of a contract', of: 'emitters', path: address('logs') },
  { what: 'transfers in a transaction', of: 'transactions', path: transaction('token-transfers') },
  { what: 'holders of a token', of: 'tokens', path: token('/holders') },
  { what: 'what a transaction did', of: 'transactions', path: transaction('summary') },
  { what: 'a token', of: 'tokens', path: token('') },
]

/** All that `worthOpening` can find. */
export const examplePagesCount = pages.length

/**
 * Queries the API for subjects with a non-empty response. Endpoints without one are omitted. Stops
 * when the signal aborts. Pauses where responses have megabytes.
 */
export async function exampleUrls(
  subjects: Subjects,
  handler: HttpHandler,
  signal: AbortSignal,
): Promise<ExamplePage[]> {
  const asking = { handler, signal, pause: pauses() }
  const found = await Promise.all(
    pages.map(async ({ what, of, path }) => {
      const paths = subjects[of].map(path)
      return { what, path: await firstShowing(paths, asking) }
    }),
  )
  return found.flatMap(({ what, path }) => (path ? [{ what, path }] : []))
}

/** No client has it: a client on this host shares no queue with the search. */
const noClient = '0.0.0.0'

interface Asking {
  readonly handler: HttpHandler
  readonly signal: AbortSignal
  readonly pause: Pause
}

async function firstShowing(
  paths: readonly string[],
  { handler, signal, pause }: Asking,
): Promise<string | undefined> {
  for (const path of paths) {
    if (signal.aborted) return undefined
    const asked = {
      method: 'GET',
      path,
      query: '',
      headers: {},
      client: noClient,
      isOwn: true,
    } as const
    const { status, body } = await handler(asked)
    if (status === 200 && (await showsSomething(body, pause))) return path
  }
  return undefined
}

/** A non-empty response body of any endpoint: a row, a summary, a name. */
const showing = z.union([
  z.object({ items: z.array(z.unknown()).min(1) }),
  z.array(z.unknown()).min(1),
  z.object({ data: z.object({ summaries: z.array(z.unknown()).min(1) }) }),
  z.object({ name: z.string() }),
  z.object({ symbol: z.string() }),
])

async function showsSomething(body: Buffer, pause: Pause): Promise<boolean> {
  const keep = (_path: string, element: unknown) => element
  return showing.safeParse(await jsonInPieces(body, { keep, pause })).success
}

/** Busy subjects of some blocks, the busiest first: what is worth opening. */
export interface Subjects {
  readonly addresses: readonly string[]
  readonly emitters: readonly string[]
  readonly tokens: readonly string[]
  readonly recipients: readonly string[]
  readonly collectors: readonly string[]
  readonly transactions: readonly string[]
}

const zeroAddress = `0x${'0'.repeat(40)}`
/** Of each kind: one is shown, the others are there in case its list is empty. */
const subjectsMax = 6

/** Pauses: a log may have hundreds of thousands of transfers. */
export async function subjectsOf(blocks: readonly Block[]): Promise<Subjects> {
  const pause = pauses()
  const addresses = new Map<string, number>()
  const emitters = new Map<string, number>()
  const tokens = new Map<string, number>()
  const recipients = new Map<string, number>()
  const collectors = new Map<string, number>()
  const transactions = new Map<string, number>()
  for (const block of blocks) {
    const transfers = new BlockTransfers(block)
    for (const transaction of block.transactions) {
      count(addresses, transaction.from)
      if (transaction.to) count(addresses, transaction.to)
      for (const log of transaction.logs) {
        count(emitters, log.address)
        for (const transfer of transfers.pacedOfLog(log)) {
          await pause()
          if (transfer === null) continue
          count(tokens, transfer.token)
          count(transactions, transaction.hash)
          count(transfer.form === 'ERC-20' ? recipients : collectors, transfer.to)
        }
      }
    }
    await pause()
  }
  return {
    addresses: busiest(addresses),
    emitters: busiest(emitters),
    tokens: busiest(tokens),
    recipients: busiest(recipients),
    collectors: busiest(collectors),
    transactions: busiest(transactions),
  }
}

function count(counts: Map<string, number>, subject: string): void {
  if (subject !== zeroAddress) counts.set(subject, (counts.get(subject) ?? 0) + 1)
}

const busiest = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts]
    .sort((one, other) => other[1] - one[1])
    .slice(0, subjectsMax)
    .map(([subject]) => subject)

/** Messages of `blocks` from an offset on that are whole and valid, each decoded with pauses. */
async function* messagesFrom(
  log: EventLog,
  offset: number,
  limit: ReadLimit,
): AsyncGenerator<BlocksMessage> {
  const stored = await log.read('blocks', offset, limit)
  const held = new Map(stored.map((one) => [one.offset, one.value]))
  const assembling = new MessageAssembler(async (at) => held.get(at))
  // Of all of them: many that are decoded without a pause take long together.
  const pause = pauses()
  for (const one of stored) {
    await pause()
    const isPart = parsePart(one.value) !== null
    const decoded = isPart
      ? (await assembling.add(one))?.decoded
      : await decodeInPieces(Buffer.from(one.value))
    if (decoded !== undefined && 'message' in decoded) yield decoded.message
  }
}

/** Parts of one large block, at most; nothing else precedes the first block of a log. */
const lookedAtMax = { messagesMax: 64, bytesMax: 16 * 1024 * 1024 } as const

/** Number of the first block of the log; null where it is not among its first messages. */
export async function firstBlock(log: EventLog): Promise<number | null> {
  const begin = await log.begin('blocks')
  for await (const message of messagesFrom(log, begin, lookedAtMax)) {
    if (message.kind === 'block.applied') return message.block.number
  }
  return null
}

/** Enough to meet every kind of subject on a lively chain, and read in a moment. */
const lookBack = { messagesMax: 48, bytesMax: 16 * 1024 * 1024 } as const

/** Blocks of the newest messages of the log, as far as they can be read in a moment. */
export async function recentBlocks(log: EventLog): Promise<Block[]> {
  const end = await log.end('blocks')
  const begin = Math.max(0, end - lookBack.messagesMax)
  const blocks: Block[] = []
  for await (const message of messagesFrom(log, begin, lookBack)) {
    if (message.kind === 'block.applied') blocks.push(message.block)
  }
  return blocks
}
