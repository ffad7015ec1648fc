import { z } from 'zod'

/** A field that differs. `undefined` on the side that does not have it. */
export interface Difference {
  /** As `items[].token.name`: the same field of all items. */
  readonly field: string
  /** The item that it is of, by what identifies it; null outside of lists. */
  readonly item: string | null
  readonly here: unknown
  readonly there: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields of two JSON values that differ, each down to the last name. Lists go by their order. */
export function* fieldsThatDiffer(
  here: unknown,
  there: unknown,
  field = '',
): Generator<Pick<Difference, 'field' | 'here' | 'there'>> {
  if (isObject(here) && isObject(there)) {
    const prefix = field === '' ? '' : `${field}.`
    for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
      yield* fieldsThatDiffer(here[name], there[name], prefix + name)
    }
  } else if (Array.isArray(here) && Array.isArray(there)) {
    for (let at = 0; at < Math.max(here.length, there.length); at++) {
      yield* fieldsThatDiffer(here[at], there[at], `${field}[]`)
    }
  } else if (here !== there) yield { field, here, there }
}

/** A side of a list: its first items, in order. */
interface Listed {
  readonly items: readonly unknown[]
  readonly hasMore: boolean
}

/**
 * Differences of two lists of items, each with that of the same identity. Of lists that go on, as
 * much is compared as both sides have.
 */
export function* itemsThatDiffer(here: Listed, there: Listed): Generator<Difference> {
  const [ours, theirs] = [identified(here.items), identified(there.items)]
  const [own, others] = [[...ours.keys()], [...theirs.keys()]]
  let [at, other] = [0, 0]
  let inOrder = true
  while (at < own.length && other < others.length) {
    const [one = '', two = ''] = [own[at], others[other]]
    if (one === two) {
      yield* ofItem(one, ours.get(one), theirs.get(one))
      at++
      other++
    } else if (!theirs.has(one)) yield only('here', own[at++], ours)
    else if (!ours.has(two)) yield only('there', others[other++], theirs)
    else {
      // Both have both: the order differs, which is said once.
      if (inOrder) yield { field: 'order of items[]', item: null, here: one, there: two }
      inOrder = false
      yield* ofItem(one, ours.get(one), theirs.get(one))
      theirs.delete(one)
      others.splice(others.indexOf(one), 1)
      at++
    }
  }
  if (!there.hasMore) while (at < own.length) yield only('here', own[at++], ours)
  if (!here.hasMore) while (other < others.length) yield only('there', others[other++], theirs)
  const isEnd = at === own.length && other === others.length
  if (isEnd && here.hasMore !== there.hasMore) {
    const said = (hasMore: boolean) => (hasMore ? 'a further page' : 'the end')
    yield {
      field: 'next_page_params',
      item: null,
      here: said(here.hasMore),
      there: said(there.hasMore),
    }
  }
}

function only(
  side: 'here' | 'there',
  item: string | undefined,
  items: ReadonlyMap<string, unknown>,
): Difference {
  const found = items.get(item ?? '')
  const [here, there] = side === 'here' ? [found, undefined] : [undefined, found]
  return { field: 'items[]', item: item ?? null, here, there }
}

function* ofItem(item: string, here: unknown, there: unknown): Generator<Difference> {
  for (const one of fieldsThatDiffer(here, there, 'items[]')) yield { ...one, item }
}

/** By identity, in order; the same identity again gets a number. */
function identified(items: readonly unknown[]): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const item of items) {
    const name = identityOf(item)
    let key = name
    for (let again = 2; found.has(key); again++) key = `${name} (${again})`
    found.set(key, item)
  }
  return found
}

const text = z.union([z.string(), z.number()]).nullish()
const identities = z.looseObject({
  hash: text,
  transaction_hash: text,
  log_index: text,
  index: text,
  id: text,
  token_id: text,
  total: z.looseObject({ token_id: text }).nullish().catch(null),
  address: z.looseObject({ hash: text }).nullish().catch(null),
  token: z.looseObject({ address_hash: text, address: text }).nullish().catch(null),
})

/** What an item of any list is of: a transaction, a log or transfer, a holder, a token. */
function identityOf(item: unknown): string {
  const { data } = identities.safeParse(item)
  if (data === undefined) return 'item'
  const { hash, transaction_hash, address, token } = data
  const parts = hash
    ? [hash]
    : transaction_hash
      ? [transaction_hash, data.log_index ?? data.index, data.total?.token_id]
      : address?.hash
        ? [address.hash, data.token_id]
        : [token?.address_hash ?? token?.address, data.id ?? data.token_id]
  return parts
    .filter((part) => part !== null && part !== undefined)
    .join(' ')
    .toLowerCase()
}
