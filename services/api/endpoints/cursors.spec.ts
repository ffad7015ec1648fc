import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  aBalance,
  aHash,
  aHolder,
  aLog,
  anAddress,
  anNft,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'
import { routes } from './routes.ts'

/** Of `next_page_params` as a query, whatever the chain holds. */
const cursorCharactersMax = 1_000

const token = anAddress(0x70)
const nft = anAddress(0x71)
const person = anAddress(0xa1)
const hash = aHash(0x7a)
const uint256Last = (1n << 256n) - 1n
/** The last second of the year 9999. */
const timeMax = 253_402_300_799

const amount = fc.oneof(fc.constant(uint256Last), fc.bigInt(0n, uint256Last), fc.constant(0n))
const blockNumber = fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER), fc.nat())
const index = fc.oneof(fc.constant(0xffff_ffff), fc.nat(0xffff_ffff))
const ordinal = fc.oneof(fc.constant(2 ** 33 - 1), fc.nat())
/** Also halves of surrogate pairs, as JSON of strangers may hold them. */
const codeUnits = fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 1_024 })
const name = fc.oneof(
  codeUnits.map((units) => `n${String.fromCharCode(...units)}`),
  fc.constantFrom('漢'.repeat(600), '😀'.repeat(512), "a'()*~! +&=%".repeat(80), 'null'),
)

const hostile = fc.record({
  amount,
  fee: amount,
  blockNumber,
  index,
  batchIndex: index,
  ordinal,
  name,
  // Later ones are in rows that were written before such blocks were refused.
  timestamp: fc.oneof(fc.constantFrom(timeMax, timeMax + 1, 1.7e12, 9e12), fc.nat()),
})
type Hostile = typeof hostile extends fc.Arbitrary<infer H> ? H : never

interface List {
  readonly target: string
  readonly filters: readonly string[]
  /** What the tables hold: two rows, the first of which is shown. */
  readonly validFor: (of: Hostile) => Answers
  /** The place of that row, as the tables are to be asked for what follows it. */
  readonly place: (of: Hostile) => object
}

const tokenStates: Answers['tokenStates'] = async (tokens) =>
  new Map(tokens.map((at) => [at, aToken({ token: at })]))
const transferRows = (of: Hostile, says: object = {}) => {
  const row = { blockNumber: of.blockNumber, logIndex: of.index, batchIndex: of.batchIndex }
  return [aTransfer({ ...row, ...says }), aTransfer({ ...row, ...says, batchIndex: 0 })]
}
const logPlace = (of: Hostile) => ({ blockNumber: of.blockNumber, logIndex: of.index })
const transactionPlace = (of: Hostile) => ({ blockNumber: of.blockNumber, index: of.index })

/** Every list that has pages, by the path of its endpoint. */
const lists: Readonly<Record<string, List>> = {
  '/api/v2/addresses/{address_hash}/tokens': {
    target: `/api/v2/addresses/${person}/tokens`,
    filters: ['', 'type=ERC-20,ERC-1155', 'type=erc-1155, ERC-20'],
    validFor: ({ amount: value, ordinal: at, name: called }) => ({
      balancesOfAddress: async () => Array(2).fill(aBalance({ value, ordinal: at })),
      tokenStates: async (tokens) =>
        new Map(tokens.map((address) => [address, aToken({ token: address, name: called })])),
    }),
    place: ({ amount: value, ordinal: at }) => ({ value, ordinal: at }),
  },
  '/api/v2/addresses/{address_hash}/transactions': {
    target: `/api/v2/addresses/${person}/transactions`,
    filters: [
      ...['', 'filter=to', 'sort=block_number&order=asc', 'filter=from&sort=value&order=asc'],
      ...['sort=value&order=desc', 'sort=fee&order=asc', 'filter=to&sort=fee&order=desc'],
    ],
    validFor: (of) => ({
      transactionsOfAddress: async () => {
        const paid = { gasUsed: 1n, gasPrice: of.fee, value: of.amount, timestamp: of.timestamp }
        return Array(2).fill(aTransaction({ ...transactionPlace(of), ...paid }))
      },
    }),
    place: transactionPlace,
  },
  '/api/v2/addresses/{address_hash}/nft': {
    target: `/api/v2/addresses/${person}/nft`,
    filters: ['', 'type=ERC-721,ERC-404', 'type=ERC-20', 'type=[ERC-404]'],
    validFor: ({ amount: tokenId }) => ({
      nftsOfAddress: async () => Array(2).fill(anNft({ tokenId, token: nft })),
    }),
    place: ({ amount: tokenId }) => ({ standard: 'ERC-721', token: nft, tokenId }),
  },
  '/api/v2/tokens/{address_hash}/transfers': {
    target: `/api/v2/tokens/${token}/transfers`,
    filters: [''],
    validFor: (of) => ({
      tokenStates,
      transfersOfToken: async () => transferRows(of),
      placesOfTransactions: async () =>
        new Map([[hash, { ...aTransaction({ hash }), blockNumber: of.blockNumber }]]),
    }),
    place: (of) => ({ ...logPlace(of), batchIndex: of.batchIndex }),
  },
  '/api/v2/addresses/{address_hash}/logs': {
    target: `/api/v2/addresses/${person}/logs`,
    filters: ['', `topic=${aHash(0xdd)}`],
    validFor: (of) => ({ logsOfAddress: async () => Array(2).fill(aLog(logPlace(of))) }),
    place: logPlace,
  },
  '/api/v2/transactions/{transaction_hash}/token-transfers': {
    target: `/api/v2/transactions/${hash}/token-transfers`,
    filters: ['', 'type=ERC-1155', 'type=ERC-1155,ERC-20'],
    validFor: (of) => ({
      tokenStates,
      transfersOfTransaction: async () => transferRows(of, { form: indexOf('ERC-1155') }),
      placesOfTransactions: async () =>
        new Map([[hash, { ...aTransaction({ hash }), blockNumber: of.blockNumber }]]),
    }),
    place: (of) => ({ logIndex: of.index, batchIndex: of.batchIndex }),
  },
  '/api/v2/tokens/{address_hash}/holders': {
    target: `/api/v2/tokens/${token}/holders`,
    filters: [''],
    validFor: ({ amount: value, fee: tokenId }) => {
      const row = aHolder({ value, tokenId, part: part.instance, holder: person })
      return { tokenStates, holdersOfToken: async () => Array(2).fill(row) }
    },
    place: ({ amount: value, fee: tokenId }) => ({ value, tokenId, holder: person }),
  },
}

/** As clients send a cursor back. */
const asQuery = (cursor: object): string =>
  new URLSearchParams(
    Object.entries(cursor).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()

test('knows every list that has pages', () => {
  const paged = routes.filter(({ parameters }) => 'items_count' in parameters.shape)
  expect(Object.keys(lists)).toEqual(paged.map(({ path }) => path))
})

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

test.each(Object.entries(lists))(
  `gives cursors of %s that it accepts, short (seed ${seed})`,
  (_path, { target, filters, validFor, place }) => {
    const followed = fc.asyncProperty(hostile, fc.constantFrom(...filters), async (of, filter) => {
      const asked: { after?: unknown }[] = []
      const { ask, announce } = testApi(recorded(validFor(of), asked))
      announce('ledger', 1)
      announce('state', 1)
      const plain = { headers: { accept: '*/*' } }
      const first = bodyOf(await ask(`${target}?items_count=1&${filter}`, plain))
      const query = asQuery(cursorIn(first))
      expect(query.length).toBeLessThanOrEqual(cursorCharactersMax)
      const next = await ask(`${target}?${filter}&${query}`, plain)
      expect(next.status).toBe(200)
      expect(asked.at(-1)?.after).toMatchObject(place(of))
      // Contract 1: the keys alone name the same page.
      const beside = printed(asked.splice(0).at(-1))
      const alone = testApi(recorded(validFor(of), asked))
      alone.announce('ledger', 1)
      alone.announce('state', 1)
      const other = await alone.ask(`${target}?${query}`, plain)
      expect(printed(asked.at(-1))).toBe(beside)
      expect(other.body.equals(next.body)).toBe(true)
    })
    return fc.assert(followed, { seed, numRuns: 60 })
  },
)

// Decision 57.
test.each([
  ['Gold', 'Gold'],
  ['😀'.repeat(512), '😀'.repeat(64)],
  [`${'a'.repeat(63)}😀b`, `${'a'.repeat(63)}😀`],
  [`a${'😀'.repeat(32)}${'b'.repeat(99)}`, `a${'😀'.repeat(32)}${'b'.repeat(31)}`],
  ['\ud83dx', '\ufffdx'],
])('cuts the name %s in a cursor after 64 code points, through none of them', async (said, cut) => {
  const { ask } = testApi({
    balancesOfAddress: async () => Array(2).fill(aBalance()),
    tokenStates: async (tokens) =>
      new Map(tokens.map((at) => [at, aToken({ token: at, name: said })])),
  })
  const body = bodyOf(await ask(`/api/v2/addresses/${person}/tokens?items_count=1`))
  expect(cursorIn(body)).toMatchObject({ token_name: cut })
})

function cursorIn(body: unknown): object {
  const cursor = body !== null && typeof body === 'object' && Reflect.get(body, 'next_page_params')
  if (!cursor) throw new Error('the page has no next one')
  return cursor
}

const printed = (asked: object | undefined): string =>
  JSON.stringify(asked, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

/** Notes what the list itself is asked for. */
function recorded(answers: Answers, asked: { after?: unknown }[]): Answers {
  const entries = Object.entries(answers).map(([called, answer]) => [
    called,
    (...args: readonly { after?: unknown }[]) => {
      if (args[0] !== undefined && 'after' in args[0]) asked.push(args[0])
      return Reflect.apply(answer, undefined, args)
    },
  ])
  return Object.fromEntries(entries)
}
