import type { HttpResponse } from '../../../libs/ports/http.ts'
import { bodyOf } from './asked-api.ts'
import { type Component, cast, transactionDay } from './checked-world.ts'

/** What an answer says of a component, as a test of that component's content. */
export interface Seen {
  readonly component: Component
  readonly says: string
  readonly agrees: (stamp: number) => boolean
  /** Shown in steps of chain time. */
  readonly isFigure?: boolean
}

/** Numbers of the head that an answer shows. */
export interface SeenOfHead {
  readonly confirmations: number[]
  /** Whether the price of the day was left out, for each transaction. */
  readonly isRecent: boolean[]
}

/** A question, and the component that its list is made of. */
export interface Target {
  readonly path: string
  readonly list: Component
  /** What must be there for an answer that is no 404. */
  readonly existence?: Component
  readonly isExact?: boolean
}

const ofAddress = (path: string, family: string): readonly Target[] =>
  cast.people.map((person) => ({
    path: `/api/v2/addresses/${person}/${path}`,
    list: `${family}|${person}`,
  }))

const ofToken = (path: string, family: string): readonly Target[] =>
  cast.tokens.map((token) => ({
    path: `/api/v2/tokens/${token}${path}`,
    list: `${family}|${token}`,
    existence: `token_state.names|${token}`,
    isExact: path === '',
  }))

const ofTransaction = (path: string): readonly Target[] =>
  cast.transactions.map((hash) => ({
    path: `/api/v2/transactions/${hash}/${path}`,
    list: `transfers_by_transaction|${hash}`,
    existence: `transactions|${hash}`,
  }))

/** Asks for the standard of the token itself, which the tables make of its name. */
const filtered = 'type=ERC-20'

/** Questions to all ten endpoints. */
export const targets: readonly Target[] = [
  ...ofAddress('tokens', 'balances_by_value'),
  ...ofAddress('transactions', 'transactions_by_address'),
  ...ofAddress('transactions?sort=value&order=asc', 'transactions_by_address'),
  ...ofAddress('token-balances', 'balances_by_value'),
  ...ofAddress('nft', 'nfts_by_owner'),
  ...ofToken('/transfers', 'transfers_by_token'),
  ...ofAddress('logs', 'logs_by_address'),
  ...ofTransaction('token-transfers'),
  ...ofTransaction(`token-transfers?${filtered}`),
  ...ofToken('/holders', 'holders'),
  ...ofTransaction('summary'),
  ...ofTransaction('summary?just_request_body=true'),
  ...ofToken('', 'token_state'),
]

type Json = Readonly<Record<string, unknown>>

/** Everything that an answer says of the tables. @throws on an answer that is no answer. */
export function seenIn(
  target: Target,
  response: HttpResponse,
): { seen: readonly Seen[]; ofHead: SeenOfHead } {
  const seen: Seen[] = []
  const ofHead: SeenOfHead = { confirmations: [], isRecent: [] }
  const { existence, list, path } = target
  const says = (component: Component, value: unknown, isFigure = false) => {
    const stamp = Number(String(value ?? 0).replace(/^[A-Z]/, ''))
    const agrees = (other: number) => other === stamp
    seen.push({ component, says: String(value), agrees, isFigure })
  }
  if (response.status === 404 && existence !== undefined) {
    says(existence, 0)
    return { seen, ofHead }
  }
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  if (existence !== undefined) {
    seen.push({ component: existence, says: 'there', agrees: (stamp) => stamp !== 0 })
  }
  const body = bodyOf(response)
  if (isEmpty(body) && !path.endsWith(filtered)) says(list, 0)
  if (list === `transfers_by_transaction|${cast.transactions[1]}` && path.endsWith(filtered)) {
    const isThere = !isEmpty(body)
    const agrees = (stamp: number) => (stamp % 2 === 1) === isThere
    const component = `token_state.names|${cast.tokens[1]}`
    seen.push({ component, says: `filter ${isThere}`, agrees })
  }
  walk(body, { says, seen, ofHead, list, isExact: target.isExact === true })
  return { seen, ofHead }
}

const isEmpty = (body: unknown): boolean => {
  const items = isObject(body) ? body.items : body
  return Array.isArray(items) && items.length === 0
}

interface Walk {
  readonly says: (component: Component, value: unknown, isFigure?: boolean) => void
  readonly seen: Seen[]
  readonly ofHead: SeenOfHead
  readonly list: Component
  readonly isExact: boolean
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function walk(value: unknown, at: Walk): void {
  if (Array.isArray(value)) {
    for (const one of value) walk(one, at)
    return
  }
  if (!isObject(value)) return
  look(value, at)
  for (const [name, inner] of Object.entries(value)) if (name !== 'metadata') walk(inner, at)
}

function look(value: Json, { says, seen, ofHead, list, isExact }: Walk): void {
  const lower = (text: unknown) => String(text).toLowerCase()
  if ('ens_domain_name' in value) {
    says(`address_labels|${lower(value.hash)}`, value.name)
    const isContract = value.is_contract === true
    const agrees = (stamp: number) => (stamp % 2 === 1) === isContract
    const component = `address_state|${lower(value.hash)}`
    seen.push({ component, says: String(isContract), agrees })
  }
  if ('circulating_market_cap' in value) {
    const token = lower(value.address_hash)
    says(`token_state.names|${token}`, value.name)
    // Of a token that is not known, nothing is said.
    if (value.name !== null) {
      says(`token_state|${token}`, value.holders_count, !isExact)
      says(`token_market|${token}`, value.exchange_rate, !isExact)
      says(`token_market.names|${token}`, value.symbol === 'AU' ? 0 : value.symbol)
    }
  }
  if ('confirmations' in value) {
    says(list, value.value)
    says('prices|now', value.exchange_rate)
    ofHead.confirmations.push(Number(value.confirmations))
    const historic = value.historic_exchange_rate
    if (historic !== null) says(`prices|${transactionDay}`, historic)
    ofHead.isRecent.push(historic === null)
  }
  if ('log_index' in value && isObject(value.total)) {
    const ofItsOwn = `transfers_by_transaction|${value.transaction_hash}`
    says(list.startsWith('transfers_by_token') ? list : ofItsOwn, value.total.value)
  }
  if ('raw_input' in value && !('confirmations' in value)) {
    says(`transactions|${value.hash}`, value.value)
  }
  if (list.startsWith('balances') && 'token_instance' in value) says(list, value.value)
  if ('holder_address_hash' in value) lookAtInstance(value, { says, seen, list })
  if ('topics' in value && 'data' in value) {
    const ofItsOwn = `logs_by_transaction|${value.transaction_hash}`
    says(list.startsWith('logs_by_address') ? list : ofItsOwn, Number(value.data))
  }
  if (list.startsWith('holders') && 'address' in value && 'value' in value) says(list, value.value)
}

function lookAtInstance(
  value: Json,
  { says, seen, list }: Pick<Walk, 'says' | 'seen' | 'list'>,
): void {
  const token = isObject(value.token) ? String(value.token.address_hash).toLowerCase() : ''
  const key = `${token}|${value.id}`
  const { metadata } = value
  says(`instance_metadata|${key}`, isObject(metadata) ? metadata.confirmations : 0)
  const owner = String(value.holder_address_hash).toLowerCase()
  const at = cast.people.map(String).indexOf(owner)
  const agrees = (stamp: number) =>
    at < 0 ? stamp === 0 : stamp !== 0 && stamp % cast.people.length === at
  seen.push({ component: `instances|${key}`, says: owner, agrees })
  if (list.startsWith('nfts_by_owner') && 'value' in value) says(list, value.value)
}
