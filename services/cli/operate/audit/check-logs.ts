import type { Address } from '../../../../libs/chain/hex.ts'
import { type Finding, judgedValue, type PageLook } from './finding.ts'
import type { NodeLog, NodeTransaction } from './node-transaction.ts'
import { type ShownLog, shownLogs } from './shown-bodies.ts'
import { lookAt, requireBlock, type ShownPage, shownPage, type Witnesses } from './witnesses.ts'

/** Logs of a block, as the node returned them. */
interface LogsOfBlock {
  readonly block: NodeTransaction['block']
  /** By index, ascending. */
  readonly logs: readonly NodeLog[]
}

/** One more is asked for, which has to be of an earlier block. */
const logsMax = 99

/** All logs of a contract in one block: those, and no others. */
export function checkLogsOfAddress(
  witnesses: Witnesses,
  address: Address,
  { block, logs }: LogsOfBlock,
): Promise<PageLook> {
  const path = `/api/v2/addresses/${address}/logs`
  return lookAt(path, async () => {
    const last = logs.at(-1)?.index ?? 0
    const newest = logs.slice(-logsMax)
    const query = {
      block_number: `${block.number}`,
      index: `${last + 1}`,
      items_count: `${newest.length + 1}`,
    }
    const page = await shownPage(witnesses.api, { path, query, schema: shownLogs })
    await requireBlock(witnesses, page, block)
    const items = (page.body?.items ?? []).filter((item) => item.block_number === block.number)
    // Of more logs than fit the next one is of the same block, too.
    const shown = newest.length < logs.length ? items.slice(0, logsMax) : items
    return logFindings(page, shown, { block, logs: newest })
  })
}

/** Each log as a whole is a value: logs do not change. */
export function logFindings(
  { path, block: at }: ShownPage<unknown>,
  shown: readonly ShownLog[],
  { block, logs }: LogsOfBlock,
): readonly Finding[] {
  const texts = new Map(shown.map((log) => [log.index, shownText(log)]))
  const told = new Map(logs.map((log) => [log.index, toldText(log, block.hash)]))
  return [...new Set([...told.keys(), ...texts.keys()])].map((index) => ({
    ...{ kind: 'logs', standard: null, path, field: `log ${index}`, block: at },
    ...judgedValue(texts.get(index) ?? null, told.get(index) ?? 'no log', { isPromised: true }),
  }))
}

const shownText = ({ address, topics, data, transaction_hash, block_hash }: ShownLog): string =>
  [address.hash, topics.filter((topic) => topic !== null), data, transaction_hash, block_hash].join(
    ' ',
  )

const toldText = ({ address, topics, data, transactionHash }: NodeLog, blockHash: string): string =>
  [address, topics, data, transactionHash, blockHash].join(' ')
