import type { Block } from '../../../libs/chain/block.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import { BlockTransfers } from '../../../libs/projections/ledger/transfers.ts'
import type { ExampleKind } from '../endpoints/pipeline/route.ts'

/** Busy subjects of some blocks, the busiest first: what is worth opening. */
export type Subjects = Readonly<Record<ExampleKind, readonly string[]>>

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
