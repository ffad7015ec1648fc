import { type Address, address } from '../../../../libs/chain/hex.ts'
import type { Store } from '../../../../libs/ports/store.ts'
import { addressStateSubjects } from '../../../../libs/queries/subjects.ts'
import { type Random, randomOf } from '../../../demo-chain/random.ts'

/** An address or a transaction hash, in small letters. */
export type Subject = string

const subjectForm = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** @param text one, or a URL that contains one, as those of the examples that `up` prints */
export function subjectIn(text: string): Subject | null {
  const found = /(?<![0-9a-z])0x(?:[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-z])/.exec(text.toLowerCase())
  return found?.[0] ?? null
}

const transactionChars = 66

export const isTransaction = (subject: Subject): boolean => subject.length === transactionChars

/** Subjects that the tables are asked for: pages of these name many more. */
const drawnMax = 100

/** Contracts and accounts of the tables, each found by a random place in key order. */
export async function drawSubjects(
  store: Store,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<Subject[]> {
  const random = randomOf(seed)
  const drawn = new Set<Subject>()
  const [first] = await addressStateSubjects(store, { after: null, limit: 1 })
  if (first === undefined) return []
  for (let at = 0; at < Math.min(count, drawnMax); at++) {
    const after = randomAddress(random)
    const [found = first] = await addressStateSubjects(store, { after, limit: 1 })
    drawn.add(found)
  }
  return [...drawn]
}

/** For a random place in the order of addresses. */
export const randomAddress = (random: Random): Address =>
  address(`0x${Array.from({ length: 40 }, () => random.below(16).toString(16)).join('')}`)

/** Subjects that wait in each of its two lists; more are not kept. */
const waitingMax = 10_000

/** Subjects to compare: first those that were given, then those that pages name, by chance. */
export class SubjectPool {
  readonly #seen = new Set<Subject>()
  readonly #given: Subject[] = []
  readonly #named: Readonly<Record<'addresses' | 'transactions', Subject[]>> = {
    addresses: [],
    transactions: [],
  }
  readonly #random: Random
  #taken = 0

  constructor(given: readonly Subject[], seed: number) {
    this.#random = randomOf(seed)
    for (const subject of given) if (this.#isNew(subject)) this.#given.push(subject)
  }

  /** Adds what a body names. */
  addNamed(body: unknown): void {
    for (const subject of namedIn(body)) {
      const list = isTransaction(subject) ? this.#named.transactions : this.#named.addresses
      if (list.length < waitingMax && this.#isNew(subject)) list.push(subject)
    }
  }

  /** Transactions and addresses in turn. @returns undefined if there is none left */
  take(): Subject | undefined {
    const given = this.#given.shift()
    if (given !== undefined) return given
    const { addresses, transactions } = this.#named
    const [first, second] =
      this.#taken++ % 2 === 0 ? [transactions, addresses] : [addresses, transactions]
    const list = first.length > 0 ? first : second
    if (list.length === 0) return undefined
    const [taken] = list.splice(this.#random.below(list.length), 1)
    return taken
  }

  #isNew(subject: Subject): boolean {
    if (this.#seen.has(subject)) return false
    this.#seen.add(subject)
    return true
  }
}

/** Fields that name an address or a transaction. */
const naming = new Set(['hash', 'address_hash', 'transaction_hash'])

function* namedIn(value: unknown): Generator<Subject> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'string') yield* namedIn(inner)
    else if (naming.has(name) && subjectForm.test(inner.toLowerCase())) yield inner.toLowerCase()
  }
}
