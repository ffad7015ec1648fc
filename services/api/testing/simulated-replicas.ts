import { z } from 'zod'
import { address } from '../../../libs/chain/hex.ts'
import { type QueryParameters, type Store, StoreBehind } from '../../../libs/ports/store.ts'
import { formsOf } from '../../../libs/queries/reading/query.ts'
import {
  cachedPrices,
  cachedTokens,
  labelRows,
  marketRows,
} from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { cachedRows } from '../../../libs/tables/declare/cached-rows.ts'
import type { GroupName } from '../../../libs/tables/declare/group-versions.ts'
import type { Row, Table } from '../../../libs/tables/declare/table.ts'
import { addressLabels } from '../../../libs/tables/tables/addresses.ts'
import { prices } from '../../../libs/tables/tables/prices.ts'
import { tokenMarket, tokenState } from '../../../libs/tables/tables/tokens.ts'
import type { Facts } from '../../projector/loop/write-through.ts'
import type { ReadThroughOptions } from '../rows/read-through.ts'
import { fromCurrentReplica, type ReplicaCheck } from '../rows/replica-check.ts'
import { type ReadContext, type RunQuestion, runOnStore } from '../rows/run-question.ts'
import { runOnAnswers } from './answers.ts'
import { type Component, type HotRows, hotRowsOf, tablesOf } from './simulated-tables.ts'

type Tables = ReturnType<typeof tablesOf>
type Announced = ReplicaCheck['announced']

/** Whose rows a query reads; of two groups where it asks two tables. */
const groupsOf: Readonly<Record<keyof Tables | keyof HotRows, readonly GroupName[]>> = {
  allBalancesOfAddress: ['state'],
  balancesOfAddress: ['state'],
  ratedBalancesOfAddress: ['state'],
  ratesOfHour: ['dimensions'],
  transactionsOfAddress: ['ledger'],
  nftsOfAddress: ['state'],
  transfersOfToken: ['ledger'],
  logsOfAddress: ['ledger'],
  transfersOfTransaction: ['ledger', 'state'],
  holdersOfToken: ['state'],
  addressStates: ['state'],
  instancesByKey: ['state'],
  instanceFacts: ['dimensions'],
  transactionsByHash: ['ledger'],
  placesOfTransactions: ['ledger'],
  logsOfTransaction: ['ledger'],
  abiEntries: ['dimensions'],
  signatureEntries: ['dimensions'],
  addressStateSubjects: ['state'],
  addressLabelSubjects: ['dimensions'],
  contractAbiSubjects: ['dimensions'],
  tokenMarketSubjects: ['dimensions'],
  tokens: ['state'],
  market: ['dimensions'],
  labels: ['dimensions'],
  prices: ['dimensions'],
}

interface SimulatedReplicasOptions {
  readonly random: () => number
  readonly contentAt: (component: Component, at: number) => number
  /** How far a group had written its progress at a time. */
  readonly progressAt: (group: GroupName, at: number) => number
  /** A replica answers though it was behind: the answer that is being read may be old. */
  readonly onBehind: () => void
  /** A replica is not let answer because it was behind. */
  readonly onRefused: () => unknown
  /** A while, until the run says so. */
  readonly waited: () => Promise<void>
}

const hotQueries = {
  tokens: cachedTokens.query,
  market: marketRows.query,
  labels: labelRows.query,
  prices: cachedPrices.query,
}
const hotNames = ['tokens', 'market', 'labels', 'prices'] as const

const list = z.array(z.string())
const addressesIn = (text: unknown) => list.parse(text).map((digits) => address(`0x${digits}`))

/** The rows that a query of each table returns. */
const encodedRows: Readonly<
  Record<keyof HotRows, (hot: HotRows, parameters: QueryParameters) => Promise<Buffer>>
> = {
  tokens: async (hot, { keys }) => encoded(tokenState, await hot.tokens(addressesIn(keys))),
  market: async (hot, { keys }) => encoded(tokenMarket, await hot.market(addressesIn(keys))),
  labels: async (hot, { keys }) => encoded(addressLabels, await hot.labels(addressesIn(keys))),
  prices: async (hot, { keys }) => encoded(prices, await hot.prices(list.parse(keys))),
}

const encoded = <K extends object, C extends object>(
  table: Table<K, C>,
  found: ReadonlyMap<string, readonly Row<Table<K, C>>[]>,
) => cachedRows(table).encode([...found.values()].flat())

const chances = { late: 0.35, catchesUp: 0.4 }

/** Two replicas: one has everything, the other all that was written up to some time. */
export class SimulatedReplicas {
  private readonly options: SimulatedReplicasOptions
  private lateAt = 0

  constructor(options: SimulatedReplicasOptions) {
    this.options = options
  }

  /** The late one fetches some of what it lacks. */
  fetch(now: number): void {
    const { random } = this.options
    const isAll = random() < chances.catchesUp
    this.lateAt = isAll ? now : this.lateAt + Math.floor(random() * (now - this.lateAt))
  }

  /** The tables as a process reads them, whichever replica answers. */
  runFor(announced: Announced, cache: ReadThroughOptions): RunQuestion {
    return (question, options, context) => {
      const check = { announced, onBehind: () => {}, polls: null }
      const hot = runOnStore(this.hotStore(announced), { cache, check })
      return runOnAnswers(this.lists(announced, context), hot)(question, options, context)
    }
  }

  /** What projectors read for the shared cache. */
  get facts(): Facts {
    const checked = async (position: number): Promise<HotRows> => {
      await this.options.waited()
      const at = this.replica()
      if (this.options.progressAt('dimensions', at) < position) throw new StoreBehind()
      return this.hotAt(at)
    }
    return {
      market: async (of, position) => (await checked(position)).market(of),
      labels: async (of, position) => (await checked(position)).labels(of),
    }
  }

  private lists(announced: Announced, context: ReadContext) {
    const of = <N extends keyof Tables>(name: N) => {
      const ask: (...asked: never[]) => Promise<unknown> = (...asked) =>
        this.read({ name, announced, context }, (at) => {
          const tables = tablesOf((component) => this.options.contentAt(component, at))
          return Reflect.apply(tables[name], undefined, asked)
        })
      return [name, ask] as const
    }
    const tables = tablesOf(() => 0)
    const names = Object.keys(tables).filter((name): name is keyof Tables => name in tables)
    const lists: Tables = { ...tables, ...Object.fromEntries(names.map(of)) }
    return lists
  }

  /** The tables that projectors write through, as their queries read them. */
  private hotStore(announced: Announced): Store {
    return {
      query: async (sql, parameters, { position } = {}) => {
        const name = hotNames.find((one) => formsOf(hotQueries[one]).includes(sql))
        if (name === undefined) throw new Error(`no simulated table for ${sql}`)
        await this.options.waited()
        const at = this.replicaFor({ name, announced, position })
        const rows = await encodedRows[name](this.hotAt(at), parameters)
        await this.options.waited()
        return rows
      },
      insert: async () => {},
      execute: async () => {},
      ping: async () => {},
      close: async () => {},
    }
  }

  private hotAt(at: number): HotRows {
    return hotRowsOf((component) => this.options.contentAt(component, at))
  }

  /** Late, by what the replica held in between. */
  private async read<T>(
    how: { name: keyof typeof groupsOf; announced: Announced; context: ReadContext },
    rowsAt: (at: number) => Promise<T>,
  ): Promise<T> {
    const { name, announced, context } = how
    const [group = 'ledger'] = groupsOf[name]
    await this.options.waited()
    const check = { announced, onBehind: () => {}, polls: null, context }
    const rows = await fromCurrentReplica(check, group, async ({ position }) =>
      rowsAt(this.replicaFor({ name, announced, position })),
    )
    await this.options.waited()
    return rows
  }

  /** Of when the replica is that answers. @throws StoreBehind */
  private replicaFor(query: {
    readonly name: keyof typeof groupsOf
    readonly announced: Announced
    readonly position: number | undefined
  }): number {
    const { name, announced, position } = query
    const at = this.replica()
    // The condition that the query was sent with: a gap since then is none of its replica's.
    const [own] = groupsOf[name]
    const needed = (one: GroupName) => (one === own ? position : announced(one)) ?? 0
    const lacks = (one: GroupName) => this.options.progressAt(one, at) < needed(one)
    if (position !== undefined && groupsOf[name].some(lacks)) {
      this.options.onRefused()
      throw new StoreBehind()
    }
    if (position === undefined) this.options.onBehind()
    return at
  }

  /** Of when the replica is that answers. */
  private replica(): number {
    return this.options.random() < chances.late ? this.lateAt : Number.POSITIVE_INFINITY
  }
}
