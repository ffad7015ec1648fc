import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Standard } from '../../../libs/chain/token.ts'
import {
  aHash,
  anAddress,
  aToken,
  aTransaction,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { packedTransfers } from '../../../libs/tables/tables/transaction-columns.ts'
import { instancesOfAmountsMax } from '../rows/look-up.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'
import { pageCostMax } from './pipeline/list-body.ts'
import { costs } from './transactions-of-address.ts'

const subject = anAddress(0xa1)
const pageForm = z.object({
  items: z.array(z.object({ position: z.number(), token_transfers: z.array(z.unknown()) })),
  next_page_params: z.object({ index: z.number() }).nullable(),
})

interface Transfers {
  readonly each: number
  readonly standard: Standard
  /** Tokens of the page; each of the transfers has one of its own by default. */
  readonly tokens?: number
}

/** So many transactions, whose transfers are between addresses that no other one has. */
function transactionsWith(count: number, { each, standard, tokens = count * each }: Transfers) {
  const transfer = (transaction: number, logIndex: number) => {
    const at = transaction * each + logIndex
    return {
      token: anAddress(0x10000 + (at % tokens)),
      from: anAddress(0x20000 + at),
      to: anAddress(0x30000 + at),
      form: indexOf(standard),
      tokenId: standard === 'ERC-20' ? null : BigInt(at),
      value: BigInt(at),
      ...{ logIndex, batchIndex: 0, batchSize: 1 },
    }
  }
  return Array.from({ length: count }, (_, at) =>
    aTransaction({
      hash: aHash(at),
      index: count - at,
      transfersCount: each,
      firstTransfers: packedTransfers(
        aHash(0xb1),
        Array.from({ length: each }, (_, log) => transfer(at, log)),
      ),
    }),
  )
}

async function pageOf(rows: ReturnType<typeof transactionsWith>, answers: Answers = {}) {
  const { ask } = testApi({ ...answers, transactionsOfAddress: async () => rows })
  return pageForm.parse(bodyOf(await ask(`/api/v2/addresses/${subject}/transactions`)))
}

/** The page ends before its last row, and the next one begins there. */
function expectShort({ items, next_page_params: next }: z.output<typeof pageForm>) {
  expect(items.length).toBeGreaterThan(0)
  expect(items.length).toBeLessThan(50)
  expect(next?.index).toBe(items.at(-1)?.position)
}

// Decision 56.
test('a page ends early, before it looks up more than takes as long as its largest body', async () => {
  const rows = transactionsWith(51, { each: 10, standard: 'ERC-1155' })
  let asked = 0
  const page = await pageOf(rows, {
    instancesByKey: async (keys) => {
      asked += keys.length
      return new Map()
    },
  })
  expectShort(page)
  expect(asked).toBe(page.items.flatMap((item) => item.token_transfers).length)
  expect(asked * costs.instance).toBeLessThan(pageCostMax)
})

test('so does a page whose amounts turn out to be ids', async () => {
  const rows = transactionsWith(51, { each: 10, standard: 'ERC-20' })
  let asked = 0
  const page = await pageOf(rows, {
    tokenStates: async (tokens) =>
      new Map(tokens.map((token) => [token, aToken({ token, standard: indexOf('ERC-721') })])),
    instancesByKey: async (keys) => {
      asked += keys.length
      return new Map()
    },
  })
  expectShort(page)
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThanOrEqual(instancesOfAmountsMax)
})

test.each([
  { each: 3, standard: 'ERC-20' },
  { each: 10, standard: 'ERC-20' },
  { each: 10, standard: 'ERC-20', tokens: 5 },
  { each: 3, standard: 'ERC-721', tokens: 5 },
] as const)('a page of the usual size is whole with transfers of %o', async (transfers) => {
  const { items } = await pageOf(transactionsWith(51, transfers))
  expect(items).toHaveLength(50)
})
