import type { Store } from '../libs/ports/store.ts'
import { tableSizes } from '../libs/tables/table-sizes.ts'
import { allTables } from '../libs/tables/tables/all-tables.ts'
import { benchmark } from './benchmark.ts'
import { foldMainnet, realBlocks } from './read/mainnet-tables.ts'
import { mergeToOnePart } from './read/measured-pages.ts'
import { type Figure, figureOf, type Goal } from './report/result.ts'

const tablesOfBlocks = allTables.filter(
  ({ source, isOfAllVersions }) => source === 'blocks' && isOfAllVersions !== true,
)

const atMost = (limit: number): Goal => ({ of: 'value', bound: 'at most', limit })

/** What tables of `blocks` hold, and what all of it may take. */
const kinds = [
  { of: 'transaction', tables: /^transactions/, rows: 'transactions', goal: atMost(1_150) },
  { of: 'log', tables: /^logs/, rows: 'logs_by_transaction', goal: atMost(190) },
  { of: 'transfer', tables: /^transfers/, rows: 'transfers_by_transaction', goal: atMost(160) },
] as const

const sizesMaxMs = 60_000

export const bytes = benchmark({
  name: 'bytes',
  about: 'bytes on disk of a real transaction, log and transfer, by table',
  method:
    'The twelve blocks in a row of `test/mainnet` are folded, and each table is merged into one ' +
    'part: its bytes on disk, divided by the transactions, logs or transfers of all blocks. Their ' +
    'numbers are compared with those of the blocks.',
  limits:
    'Few rows for a table: what a part has once counts too much. Blocks of 2023, with rollup inputs ' +
    'that stand in blobs since.',
  seed: null,
  needs: 'engine',
  sizes: { blocks: { about: 'blocks, all of them', full: 12, quick: 12 } },
  async run(_, context) {
    const store = await (await context.workspace()).store('bytes')
    await foldMainnet(store)
    context.progress('blocks folded')
    await mergeToOnePart(
      store,
      tablesOfBlocks.map(({ name }) => name),
    )
    return await figuresOf(store)
  },
})

async function figuresOf(store: Store): Promise<Figure[]> {
  const sizes = await tableSizes(store, AbortSignal.timeout(sizesMaxMs))
  const tables = tablesOfBlocks.map(({ name, stored }) => {
    const { rows, bytes } = sizes.find(({ table }) => table === stored) ?? { rows: 0, bytes: 0 }
    return { name, rows, bytes }
  })
  const rowsOf = (table: string) => tables.find(({ name }) => name === table)?.rows ?? 0
  await checkRows(rowsOf)
  const transfers = rowsOf('transfers_by_transaction')
  const ofKinds = kinds.flatMap(({ of, tables: names, rows, goal }) => {
    const own = tables.filter(({ name }) => names.test(name))
    const count = rowsOf(rows)
    return [
      figure(`a ${of}, its tables`, sumOf(own) / count, { checkedAnswers: count, goal }),
      ...own.map((table) =>
        figure(`a ${of}, ${table.name}`, table.bytes / count, { checkedAnswers: count }),
      ),
    ]
  })
  const all = figure('a transfer, with all other tables', sumOf(tables) / transfers, {
    checkedAnswers: transfers,
  })
  return [...ofKinds, all]
}

const sumOf = (tables: readonly { readonly bytes: number }[]): number =>
  tables.reduce((sum, { bytes }) => sum + bytes, 0)

const figure = (
  name: string,
  value: number,
  more: { readonly checkedAnswers: number; readonly goal?: Goal },
): Figure => figureOf({ name, unit: 'bytes', values: [value], ...more })

/** @throws unless the tables have the transactions and logs of all blocks, and their transfers */
async function checkRows(rowsOf: (table: string) => number): Promise<void> {
  const { transactions, logs } = await counts()
  const found = [rowsOf('transactions'), rowsOf('logs_by_transaction'), rowsOf('logs_by_address')]
  if (`${found}` !== `${[transactions, logs, logs]}`) {
    throw new Error(`${found} rows of ${transactions} transactions and ${logs} logs`)
  }
  const [transfers, byToken] = [rowsOf('transfers_by_transaction'), rowsOf('transfers_by_token')]
  if (transfers === 0 || transfers !== byToken)
    throw new Error(`${transfers}, ${byToken} transfers`)
}

async function counts() {
  const all = (await realBlocks()).flatMap((message) =>
    message.kind === 'block.applied' ? message.block.transactions : [],
  )
  return { transactions: all.length, logs: all.flatMap(({ logs }) => logs).length }
}
