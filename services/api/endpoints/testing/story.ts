import fc from 'fast-check'
import { aHash, aToken } from '../../../../libs/presenters/testing/rows.ts'
import type { Answers } from '../../testing/answers.ts'
import { linked, type linkedRows } from '../../testing/linked-rows.ts'
import type { Target } from '../../testing/targets.ts'
import type { Meant } from './spellings.ts'

const uint256Last = (1n << 256n) - 1n
/** The last second of the year 9999. */
const timeMax = 253_402_300_799

const amount = fc.oneof(fc.constant(uint256Last), fc.bigInt(0n, uint256Last), fc.constant(0n))
const index = fc.oneof(fc.constant(0xffff_ffff), fc.nat(0xffff_ffff))
/** Also halves of surrogate pairs, as JSON of strangers may hold them. */
const codeUnits = fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 1_024 })

/** Values of rows, up to the greatest that a contract or a block can say. */
export const hostile = fc.record({
  amount,
  fee: amount,
  blockNumber: fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.nat()),
  index,
  batchIndex: index,
  ordinal: fc.oneof(fc.constant(2 ** 33 - 1), fc.nat()),
  name: fc.oneof(
    codeUnits.map((units) => `n${String.fromCharCode(...units)}`),
    fc.constantFrom('漢'.repeat(600), '😀'.repeat(512), "a'()*~! +&=%".repeat(80), 'null'),
  ),
  // Later ones are in rows that were written before such blocks were refused.
  timestamp: fc.oneof(fc.constantFrom(timeMax, timeMax + 1, 1.7e12, 9e12), fc.nat()),
})
export type Hostile = typeof hostile extends fc.Arbitrary<infer H> ? H : never

/** What is specific to an endpoint in the tests that go through all of them. */
export interface Story {
  /** Queries that are asked of all who should answer alike: embedded, on a cluster, as pods. */
  readonly forms: readonly Readonly<Record<string, string>>[]
  /** What can be asked, and the ways to spell it: for keys of pages. */
  readonly requests: fc.Arbitrary<Meant>
  /** Of a list that has pages. */
  readonly pages?: {
    /** A subject whose list `rows` are. */
    readonly subject: string
    readonly filters: readonly string[]
    /** What the tables hold: two rows, the first of which is shown. */
    readonly rows: (of: Hostile) => Answers
    /** The place of that row, as the tables are to be asked for what follows it. */
    readonly place: (of: Hostile) => object
  }
  /** Queries about the subjects of `linked`: with cursors that are complete, reduced or made up. */
  readonly queries?: readonly string[]
  /** What the model checker of caches asks. */
  readonly checked: readonly Target[]
  /** Of a list whose subject another table proves: a flush may write it between two queries. */
  readonly flush?: {
    readonly path: string
    readonly group: 'ledger' | 'state'
    /** In the order in which a flush writes them. */
    readonly tables: readonly (keyof typeof linkedRows)[]
    /** How many rows a body shows of each list. */
    readonly countsOf: (body: unknown) => readonly number[]
  }
}

const batch = 'batch_log_index=5&index_in_batch=3'
const ofLinked = `${batch}&batch_transaction_hash=${linked.hash}`

/** Parts of `queries`: a place, one above the head, and batches. */
export const cursors = {
  place: 'block_number=200&index=5',
  sentinel: 'block_number=99999999&index=0&items_count=1',
  batch,
  wholeBatch: `${ofLinked}&batch_block_hash=${aHash(0xb1)}`,
  otherBlock: `${ofLinked}&batch_block_hash=${aHash(0xb2)}`,
}

/** Any token exists. */
export const tokenStates: Answers['tokenStates'] = async (tokens) =>
  new Map(tokens.map((at) => [at, aToken({ token: at })]))

/** -1: there is no list. */
export const countOf = (list: unknown): number => (Array.isArray(list) ? list.length : -1)

export const itemsOf = (body: unknown): readonly number[] => [
  countOf(Reflect.get(Object(body), 'items')),
]
