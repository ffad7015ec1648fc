import { StoreBehind } from '../../../libs/ports/store.ts'
import type { Facts } from '../../projector/write-through.ts'
import type { ReadContext, Reads, ReadsFor } from '../reader/reads.ts'
import { fromCurrentReplica, type ReplicaCheck } from '../reader/replica-check.ts'
import { type HotRows, hotRowsReadThrough, readsOfHotRows } from '../reader/store-reads.ts'
import type { ReadThroughOptions } from '../row-cache/read-through.ts'
import type { Group } from './simulated-projectors.ts'
import { type Component, hotRowsOf, tablesOf } from './simulated-tables.ts'

type Tables = ReturnType<typeof tablesOf>
type Announced = ReplicaCheck['announced']

/** Whose rows a query reads; of two groups where it asks two tables. */
const groupsOf: Readonly<Record<keyof Tables | keyof HotRows, readonly Group[]>> = {
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
  instanceStates: ['state'],
  instanceFacts: ['dimensions'],
  transactions: ['ledger'],
  places: ['ledger'],
  firstTransfers: ['ledger'],
  logsOfTransaction: ['ledger'],
  abiEntries: ['dimensions'],
  signatures: ['dimensions'],
  tokens: ['state'],
  market: ['dimensions'],
  labels: ['dimensions'],
  prices: ['dimensions'],
}

interface SimulatedReplicasOptions {
  readonly random: () => number
  readonly contentAt: (component: Component, at: number) => number
  /** How far a group had written its progress at a time. */
  readonly progressAt: (group: Group, at: number) => number
  /** A replica answers though it was behind: the answer that is being read may be old. */
  readonly onBehind: () => void
  /** A while, until the run says so. */
  readonly waited: () => Promise<void>
}

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
  readsFor(announced: Announced, through: ReadThroughOptions): ReadsFor {
    const hot = hotRowsReadThrough(this.hotRows(announced), through)
    return (context) => ({ ...this.lists(announced, context), ...readsOfHotRows(hot, context) })
  }

  /** What projectors read for the shared cache. */
  get facts(): Facts {
    const checked = async (position: number): Promise<HotRows> => {
      await this.options.waited()
      const at = this.replica()
      if (this.options.progressAt('dimensions', at) < position) throw new StoreBehind()
      return this.hotAt(at)
    }
    const context = { isBehind: false }
    return {
      market: async (of, position) => (await checked(position)).market(of, context),
      labels: async (of, position) => (await checked(position)).labels(of, context),
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
    return lists satisfies Partial<Reads>
  }

  private hotRows(announced: Announced): HotRows {
    const read = <T>(
      name: keyof HotRows,
      context: ReadContext,
      rowsOf: (hot: HotRows) => Promise<T>,
    ): Promise<T> => this.read({ name, announced, context }, (at) => rowsOf(this.hotAt(at)))
    return {
      tokens: (of, context) => read('tokens', context, (hot) => hot.tokens(of, context)),
      market: (of, context) => read('market', context, (hot) => hot.market(of, context)),
      labels: (of, context) => read('labels', context, (hot) => hot.labels(of, context)),
      prices: (of, context) => read('prices', context, (hot) => hot.prices(of, context)),
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
    const groups = groupsOf[name]
    const [group = 'ledger'] = groups
    await this.options.waited()
    const check = { announced, onBehind: () => {}, context }
    const rows = await fromCurrentReplica(check, group, async (position) => {
      const at = this.replica()
      const lacks = (one: Group) => this.options.progressAt(one, at) < (announced(one) ?? 0)
      if (position !== undefined && groups.some(lacks)) throw new StoreBehind()
      if (position === undefined) this.options.onBehind()
      return rowsAt(at)
    })
    await this.options.waited()
    return rows
  }

  /** Of when the replica is that answers. */
  private replica(): number {
    return this.options.random() < chances.late ? this.lateAt : Number.POSITIVE_INFINITY
  }
}
