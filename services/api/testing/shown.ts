import type { HttpResponse } from '../../../libs/ports/http.ts'
import {
  blockOf,
  type Component,
  called,
  callee,
  cast,
  changingFrom,
  rateHoursComponent,
  transactionDay,
} from './simulated-tables.ts'
import { filtered, type Target } from './targets.ts'
import { bodyOf } from './test-api.ts'

/** What an answer says of a component, as a test of that component's content. */
export interface Shown {
  readonly component: Component
  readonly says: string
  readonly agrees: (stamp: number) => boolean
  /** Shown in steps of chain time. */
  readonly isThrottled?: boolean
}

/** Numbers of the head that an answer shows. */
export interface ShownOfHead {
  readonly confirmations: { readonly shown: number; readonly blockNumber: number }[]
  /** Whether the price of the day was left out, for each transaction. */
  readonly isRecent: boolean[]
}

type Json = Readonly<Record<string, unknown>>

/** Everything that an answer says of the tables. @throws on an answer that is no answer. */
export function shownIn(
  target: Target,
  response: HttpResponse,
): { seen: readonly Shown[]; ofHead: ShownOfHead } {
  const seen: Shown[] = []
  const ofHead: ShownOfHead = { confirmations: [], isRecent: [] }
  const { existence, list, path } = target
  const says = (component: Component, value: unknown, isThrottled = false) => {
    const stamp = Number(String(value ?? 0).replace(/^[A-Z]/, ''))
    const agrees = (other: number) => other === stamp
    seen.push({ component, says: String(value), agrees, isThrottled })
  }
  if (response.status === 404 && existence !== undefined) {
    says(existence, 0)
    return { seen, ofHead }
  }
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  const body = bodyOf(response)
  if (existence !== undefined && (target.isShownByRows !== true || isEmpty(body))) {
    seen.push({ component: existence, says: 'there', agrees: (stamp) => stamp !== 0 })
  }
  if (list === `transfers_by_transaction|${cast.transactions[1]}` && path.endsWith(filtered)) {
    const isThere = !isEmpty(body)
    const agrees = (stamp: number) => (stamp % 2 === 1) === isThere
    const component = `token_state.names|${cast.tokens[1]}`
    seen.push({ component, says: `filter ${isThere}`, agrees })
  }
  walk(body, { says, seen, ofHead, list, isExact: target.isExact === true })
  if (seen.every(({ component }) => component !== list)) seen.push(...notShown(target, body))
  return { seen, ofHead }
}

/** What a page tells of its list by not showing what changes in it. */
function notShown({ list, path, before, isAscending }: Target, body: unknown): Shown[] {
  if (itemsOf(body) === null || path.endsWith(filtered)) return []
  if (isAscending === true) {
    const isNext = isObject(body) && body.next_page_params !== null
    const agrees = (stamp: number) => (stamp !== 0) === isNext
    return [{ component: list, says: `next ${isNext}`, agrees }]
  }
  const isBefore = (stamp: number) => before !== undefined && blockOf(stamp) >= before
  const agrees = (stamp: number) => stamp === 0 || isBefore(stamp)
  return [{ component: list, says: 'nothing', agrees }]
}

function itemsOf(body: unknown): readonly unknown[] | null {
  const items = isObject(body) ? body.items : body
  return Array.isArray(items) ? items : null
}

const isEmpty = (body: unknown): boolean => itemsOf(body)?.length === 0

interface Walk {
  readonly says: (component: Component, value: unknown, isThrottled?: boolean) => void
  readonly seen: Shown[]
  readonly ofHead: ShownOfHead
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
  const isDeep = Number(value.block_number) < changingFrom
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
    if (!isDeep) says(list, value.value)
    says('prices|now', value.exchange_rate)
    const blockNumber = Number(value.block_number)
    ofHead.confirmations.push({ shown: Number(value.confirmations), blockNumber })
    const historic = value.historic_exchange_rate
    if (historic !== null) says(`prices|${transactionDay}`, historic)
    ofHead.isRecent.push(historic === null)
  }
  if ('log_index' in value && isObject(value.total) && !isDeep) {
    const ofItsOwn = `transfers_by_transaction|${value.transaction_hash}`
    const isOfList =
      list.startsWith('transfers_by_token') || list.startsWith('transactions_by_address')
    says(isOfList ? list : ofItsOwn, value.total.value)
  }
  if ('method' in value || 'decoded' in value) lookAtSignatures(value, { says, list })
  if ('raw_input' in value && !('confirmations' in value)) {
    says(`transactions|${value.hash}`, value.value)
  }
  if (list.startsWith('balances') && 'token_instance' in value) says(list, value.value)
  if ('fiat_value' in value) says(rateHoursComponent, rateHourIn(value.id))
  if ('holder_address_hash' in value) lookAtInstance(value, { says, seen, list })
  if ('topics' in value && 'data' in value && !isDeep) {
    const ofItsOwn = `logs_by_transaction|${value.transaction_hash}`
    says(list.startsWith('logs_by_address') ? list : ofItsOwn, Number(value.data))
  }
  if (list.startsWith('holders') && 'address' in value && 'value' in value) says(list, value.value)
}

/** The hour by whose rates a page is ordered, as its cursor tells: see `cursorAfter`. */
const rateHourIn = (id: unknown): number => Math.max(0, Math.floor(Number(id) / 2 ** 34) - 1)

/** By whom the call or the log is decoded: the contract's own ABI, else a well-known signature. */
function lookAtSignatures(value: Json, { says, list }: Pick<Walk, 'says' | 'list'>): void {
  const of = (address: unknown) => (isObject(address) ? String(address.hash).toLowerCase() : '')
  const isOf = (source: 'A' | 'S', text: unknown) =>
    typeof text === 'string' && text.startsWith(source) ? text : 0
  if ('decoded' in value) {
    const text = isObject(value.decoded) ? String(value.decoded.method_call).replace(/\(.*/, '') : 0
    says(`contract_abis|${of(value.address)}`, text)
    return
  }
  const inSentence =
    isObject(value.method) && isObject(value.contract) ? of(value.contract.value) : null
  const ofTransfer = list.startsWith('transfers_by_token') ? null : callee
  const inOther = 'log_index' in value ? ofTransfer : inSentence
  const method = isObject(value.method) ? value.method.value : value.method
  const contract = 'decoded_input' in value ? of(value.to) : inOther
  if (contract !== null) says(`contract_abis|${contract}`, isOf('A', method))
  const isHidden = contract !== null && isOf('A', method) !== 0
  if (!isHidden) says(`signatures|${called}`, isOf('S', method))
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
