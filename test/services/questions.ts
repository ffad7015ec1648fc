import type { Subjects } from '../../services/api/examples/subjects.ts'

/** A list to walk, or a single answer; asked of all who should answer alike. */
export interface Question {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
}

const transactionForms: readonly Readonly<Record<string, string>>[] = [
  {},
  { filter: 'to', items_count: '7' },
  { filter: 'from', items_count: '7' },
  { sort: 'block_number', order: 'asc', items_count: '5' },
  { sort: 'value', order: 'desc', items_count: '5' },
  { sort: 'fee', order: 'asc', filter: 'from', items_count: '5' },
]

const standardsForms: readonly Readonly<Record<string, string>>[] = [
  { items_count: '4' },
  { type: 'ERC-20' },
  { type: 'ERC-721,ERC-1155', items_count: '4' },
]

const paged = { items_count: '9' }

/** What is wrong, or of nobody, has an answer too. */
const others: readonly Question[] = [
  { path: `/api/v2/addresses/0x${'0'.repeat(40)}/token-balances`, parameters: {} },
  { path: `/api/v2/addresses/0x${'1'.repeat(40)}/transactions`, parameters: {} },
  { path: '/api/v2/addresses/0x12/logs', parameters: {} },
  { path: `/api/v2/tokens/0x${'1'.repeat(40)}/holders`, parameters: { items_count: '-1' } },
  { path: `/api/v2/tokens/0x${'1'.repeat(40)}`, parameters: {} },
  { path: `/api/v2/transactions/0x${'1'.repeat(64)}/summary`, parameters: {} },
  { path: '/api/v2/nothing', parameters: {} },
]

/** All ten endpoints in all their forms, of the busiest `each` subjects of a kind. */
export function questionsOf(subjects: Subjects, each: number): Question[] {
  const busiest = (kinds: readonly (keyof Subjects)[]) => [
    ...new Set(kinds.flatMap((kind) => subjects[kind].slice(0, each))),
  ]
  return [
    ...busiest(['addresses', 'emitters', 'recipients', 'collectors']).flatMap(ofAddress),
    ...busiest(['tokens']).flatMap(ofToken),
    ...busiest(['transactions']).flatMap(ofTransaction),
    ...others,
  ]
}

const inForms = (path: string, forms: readonly Question['parameters'][]): Question[] =>
  forms.map((parameters) => ({ path, parameters }))

function ofAddress(address: string): Question[] {
  const path = `/api/v2/addresses/${address}`
  return [
    ...inForms(`${path}/tokens`, standardsForms),
    ...inForms(`${path}/transactions`, transactionForms),
    ...inForms(`${path}/token-balances`, [{}]),
    ...inForms(`${path}/nft`, standardsForms),
    ...inForms(`${path}/logs`, [paged]),
  ]
}

function ofToken(token: string): Question[] {
  const path = `/api/v2/tokens/${token}`
  return [
    ...inForms(path, [{}]),
    ...inForms(`${path}/transfers`, [paged]),
    ...inForms(`${path}/holders`, [paged, { items_count: '2' }]),
  ]
}

function ofTransaction(transaction: string): Question[] {
  const path = `/api/v2/transactions/${transaction}`
  return [
    ...inForms(`${path}/token-transfers`, standardsForms),
    ...inForms(`${path}/summary`, [{}, { just_request_body: 'true' }]),
  ]
}
