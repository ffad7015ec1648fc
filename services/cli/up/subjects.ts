import type { Block } from '../../../libs/chain/block.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { transfersOf } from '../../../libs/projections/transfers.ts'

import { MessageAssembler } from '../../../libs/topics/message-assembler.ts'

/** Busy subjects of some blocks, the busiest first: what is worth looking at. */
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

export function subjectsOf(blocks: readonly Block[]): Subjects {
  const addresses = new Map<string, number>()
  const emitters = new Map<string, number>()
  const tokens = new Map<string, number>()
  const recipients = new Map<string, number>()
  const collectors = new Map<string, number>()
  const transactions = new Map<string, number>()
  for (const transaction of blocks.flatMap((block) => block.transactions)) {
    count(addresses, transaction.from)
    if (transaction.to) count(addresses, transaction.to)
    for (const log of transaction.logs) count(emitters, log.address)
    for (const { token, to, form } of transfersOf(transaction)) {
      count(tokens, token)
      count(transactions, transaction.hash)
      count(form === 'ERC-20' ? recipients : collectors, to)
    }
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

/** Parts of one large block, at most; nothing else precedes the first block of a log. */
const lookedAtMax = { messagesMax: 64, bytesMax: 16 * 1024 * 1024 } as const

/** Number of the first block of the log; null where it is not among its first messages. */
export async function firstBlock(log: EventLog): Promise<number | null> {
  const begin = await log.begin('blocks')
  const stored = await log.read('blocks', begin, lookedAtMax)
  const held = new Map(stored.map(({ offset, value }) => [offset, value]))
  const assembling = new MessageAssembler(async (offset) => held.get(offset))
  for (const one of stored) {
    const { decoded } = (await assembling.add(one)) ?? {}
    if (decoded === undefined || 'invalid' in decoded) continue
    if (decoded.message.kind === 'block.applied') return decoded.message.block.number
  }
  return null
}

/** Enough to meet every kind of subject on a lively chain, and read in a moment. */
const lookBack = { messagesMax: 48, bytesMax: 16 * 1024 * 1024 } as const

/** Blocks of the newest messages of the log, as far as they can be read in a moment. */
export async function recentBlocks(log: EventLog): Promise<Block[]> {
  const end = await log.end('blocks')
  const stored = await log.read('blocks', Math.max(0, end - lookBack.messagesMax), lookBack)
  const held = new Map(stored.map(({ offset, value }) => [offset, value]))
  const assembling = new MessageAssembler(async (offset) => held.get(offset))
  const blocks: Block[] = []
  for (const one of stored) {
    const { decoded } = (await assembling.add(one)) ?? {}
    if (decoded === undefined || 'invalid' in decoded) continue
    if (decoded.message.kind === 'block.applied') blocks.push(decoded.message.block)
  }
  return blocks
}
