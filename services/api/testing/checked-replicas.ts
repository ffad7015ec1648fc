import { StoreBehind } from '../../../libs/ports/store.ts'
import type { Facts } from '../../projector/write-through.ts'
import type { Asks, AsksFor, Reading } from '../asks.ts'
import { fromCurrentReplica, type ReplicaCheck } from '../replica-check.ts'
import { asksOfHot, type HotRows, hotThrough } from '../store-asks.ts'
import type { Through } from '../through-cache.ts'
import type { Group } from './checked-projectors.ts'
import { type Component, hotRowsOf, tablesOf } from './checked-world.ts'

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

interface CheckedReplicasOptions {
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
export class CheckedReplicas {
  private readonly options: CheckedReplicasOptions
  private lateAt = 0

  constructor(options: CheckedReplicasOptions) {
    this.options = options
  }

  /** The late one fetches some of what it lacks. */
  fetch(now: number): void {
    const { random } = this.options
    const isAll = random() < chances.catchesUp
    this.lateAt = isAll ? now : this.lateAt + Math.floor(random() * (now - this.lateAt))
  }

  /** The tables as a process reads them, whichever replica answers. */
  asksFor(announced: Announced, through: Through): AsksFor {
    const hot = hotThrough(this.hotRows(announced), through)
    return (reading) => ({ ...this.lists(announced, reading), ...asksOfHot(hot, reading) })
  }

  /** What projectors read for the shared cache. */
  get facts(): Facts {
    const checked = async (position: number): Promise<HotRows> => {
      await this.options.waited()
      const at = this.replica()
      if (this.options.progressAt('dimensions', at) < position) throw new StoreBehind()
      return this.hotAt(at)
    }
    const reading = { isBehind: false }
    return {
      market: async (of, position) => (await checked(position)).market(of, reading),
      labels: async (of, position) => (await checked(position)).labels(of, reading),
    }
  }

  private lists(announced: Announced, reading: Reading) {
    const of = <N extends keyof Tables>(name: N) => {
      const ask: (...asked: never[]) => Promise<unknown> = (...asked) =>
        this.read({ name, announced, reading }, (at) => {
          const tables = tablesOf((component) => this.options.contentAt(component, at))
          return Reflect.apply(tables[name], undefined, asked)
        })
      return [name, ask] as const
    }
    const tables = tablesOf(() => 0)
    const names = Object.keys(tables).filter((name): name is keyof Tables => name in tables)
    const lists: Tables = { ...tables, ...Object.fromEntries(names.map(of)) }
    return lists satisfies Partial<Asks>
  }

  private hotRows(announced: Announced): HotRows {
    const read = <T>(
      name: keyof HotRows,
      reading: Reading,
      rowsOf: (hot: HotRows) => Promise<T>,
    ): Promise<T> => this.read({ name, announced, reading }, (at) => rowsOf(this.hotAt(at)))
    return {
      tokens: (of, reading) => read('tokens', reading, (hot) => hot.tokens(of, reading)),
      market: (of, reading) => read('market', reading, (hot) => hot.market(of, reading)),
      labels: (of, reading) => read('labels', reading, (hot) => hot.labels(of, reading)),
      prices: (of, reading) => read('prices', reading, (hot) => hot.prices(of, reading)),
    }
  }

  private hotAt(at: number): HotRows {
    return hotRowsOf((component) => this.options.contentAt(component, at))
  }

  /** Late, by what the replica held in between. */
  private async read<T>(
    how: { name: keyof typeof groupsOf; announced: Announced; reading: Reading },
    rowsAt: (at: number) => Promise<T>,
  ): Promise<T> {
    const { name, announced, reading } = how
    const groups = groupsOf[name]
    const [group = 'ledger'] = groups
    await this.options.waited()
    const check = { announced, onBehind: () => {}, reading }
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
