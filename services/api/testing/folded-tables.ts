import type { Address } from '../../../libs/chain/hex.ts'
import { standards } from '../../../libs/chain/token.ts'
import { stateGroup } from '../../../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../../../libs/projections/testing/law.ts'
import { MemoryTables } from '../../../libs/projections/testing/memory-tables.ts'
import { inOrder, isBeyond } from '../../../libs/queries/holders-of-token/holders-of-band.ts'
import { instanceKey } from '../../../libs/queries/instances/instances.ts'
import { RowSink, RowSource } from '../../../libs/tables/declare/row-binary.ts'
import { invalidatedFamilies, type TableRow } from '../../../libs/tables/declare/table.ts'
import { balances, balancesByValue, part } from '../../../libs/tables/tables/balances.ts'
import { holders } from '../../../libs/tables/tables/holders.ts'
import { instances, nftsByOwner } from '../../../libs/tables/tables/instances.ts'
import { isShown, tokenState } from '../../../libs/tables/tables/tokens.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import { type Announcement, bucketOf } from '../../../libs/topics/changes.ts'
import type { Answers } from './answers.ts'

/** Tables of group `state` as the database has them: with what is in doubt. */
class StoredTables extends MemoryTables {
  private readonly stored = new Map<string, Map<string, TableRow>>()
  private moved = new Map<string, Set<number>>()

  override write(runs: Iterable<readonly TableRow[]>): void {
    const written = [...runs]
    super.write(written)
    for (const change of written.flat()) {
      const { table, row, isStatsOnly = false } = change
      const rows = this.stored.get(table.name) ?? new Map<string, TableRow>()
      this.stored.set(table.name, rows.set(table.keyOf(row), change))
      for (const family of invalidatedFamilies(table, isStatsOnly)) {
        const buckets = this.moved.get(family) ?? new Set<number>()
        this.moved.set(family, buckets.add(bucketOf(table.subjectOf(row))))
      }
    }
  }

  /** Rows of a table that are not deleted, in any order. */
  of<R>({ name, decode }: { name: string; decode: (source: RowSource) => R }): readonly R[] {
    const rows = [...(this.stored.get(name)?.values() ?? [])]
    return rows.flatMap(({ table, row }) => {
      if (row.isDeleted === 1) return []
      const sink = new RowSink()
      table.encode(sink, row)
      return decode(new RowSource(sink.bytes()))
    })
  }

  /** What has changed since it was asked last. */
  takeMoved(): Announcement['moved'] {
    const { moved } = this
    this.moved = new Map()
    return Object.fromEntries([...moved].map(([family, buckets]) => [family, [...buckets]]))
  }
}

/**
 * The tables that a log makes, message by message, and what is announced of each message: for specs
 * of how pages follow a fold.
 */
export function foldedTables({ fewBalances = true } = {}) {
  const tables = new StoredTables()
  const group = new InMemoryGroup(stateGroup, tables)
  return {
    answers: answersOf(tables, fewBalances),
    /** @returns what is announced of them */
    fold(messages: readonly BlocksMessage[]): Announcement['moved'] {
      group.fold(messages)
      return tables.takeMoved()
    },
    takeBack(count: number): Announcement['moved'] {
      group.takeBack(count)
      return tables.takeMoved()
    },
  }
}

const compare = <T extends bigint | number | string>(one: T, other: T): number => {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** @param fewBalances whether balances of an address are read at once, or by value */
function answersOf(tables: StoredTables, fewBalances: boolean) {
  const balancesOf = (holder: Address) => tables.of(balances).filter((row) => row.holder === holder)
  return {
    tokenStates: async (tokens) =>
      new Map(
        tables
          .of(tokenState)
          .filter(({ token }) => tokens.includes(token))
          .map((row) => [row.token, row]),
      ),
    instancesByKey: async (keys) => {
      const wanted = new Set(keys.map(instanceKey))
      const rows = tables.of(instances).map((row) => [instanceKey(row), row] as const)
      return new Map(rows.filter(([key]) => wanted.has(key)))
    },
    holdersOfToken: async ({ token, after, limit, shownSince = 0 }) =>
      tables
        .of(holders)
        .filter((row) => row.token === token && isShown(row, { shownSince }))
        .sort(inOrder)
        .filter(isBeyond(after && { ...after, part: part.fungible, tokenId: 0n }))
        .slice(0, limit),
    allBalancesOfAddress: async ({ holder }) => (fewBalances ? balancesOf(holder) : null),
    balancesOfAddress: async ({ holder, standards: chosen, after, limit, listed }) => {
      const rows = tables
        .of(balancesByValue)
        .filter((row) => row.holder === holder && chosen.includes(standardOf(row)))
        .sort(
          (one, other) => -(compare(one.value, other.value) || compare(one.ordinal, other.ordinal)),
        )
        .filter(
          ({ value, ordinal }) =>
            after === null ||
            value < after.value ||
            (value === after.value && ordinal < after.ordinal),
        )
      return (listed === undefined ? rows : await listed(rows)).slice(0, limit)
    },
    nftsOfAddress: async ({ owner, standards: chosen, after, limit, listed }) => {
      const rows = tables
        .of(nftsByOwner)
        .filter((row) => row.owner === owner && chosen.includes(standardOf(row)))
        .sort(inNftOrder)
      const start = after && { ...after, standard: standards.indexOf(after.standard) }
      const left = rows.filter((row) => start === null || inNftOrder(start, row) < 0)
      return (listed === undefined ? left : await listed(left)).slice(0, limit)
    },
  } satisfies Answers
}

const standardOf = ({ standard }: { readonly standard: number }) => standards[standard] ?? 'ERC-20'

interface NftPlace {
  readonly standard: number
  readonly token: Address
  readonly tokenId: bigint
}

const inNftOrder = (one: NftPlace, other: NftPlace): number =>
  compare(one.standard, other.standard) ||
  compare(one.token, other.token) ||
  compare(other.tokenId, one.tokenId)
