import { expect, test } from 'vitest'
import { zeroAddress } from '../../libs/chain/hex.ts'
import { checksum } from '../../libs/presenters/address.ts'
import {
  alice,
  blockOf,
  bob,
  contract,
  created,
  describing,
  minted,
  transferLog,
} from '../../libs/projections/testing/facts.ts'
import { transactionHash } from '../../libs/projections/testing/log-of.ts'
import { given } from './story.ts'

const coin = contract(1)
const described = { address: coin, name: 'Coin', symbol: 'COIN', decimals: 6 } as const

/** Polygon's state sync as the ingestor publishes it: from and to nobody, without gas. */
const free = { type: 0, value: 0n, nonce: 0, gasLimit: 0n, gasUsed: 0n, gasPrice: 0n } as const
const nobodys = { ...free, from: zeroAddress, to: zeroAddress, input: '0x' } as const

test("a chain's own transaction mints, costs nothing, and is shown (decision 71)", async () => {
  const { get } = await given(
    created(coin),
    describing(minted(coin, alice, 5n), { ...described, totalSupply: 5n }),
    blockOf({ ...nobodys, logs: [transferLog(coin, [zeroAddress, bob], 400_000n)] }),
  )
  const hash = transactionHash(3, 0)
  const transfers = { items: [{ type: 'token_minting', total: { value: '400000' } }] }
  expect((await get(`/api/v2/transactions/${hash}/token-transfers`)).body).toMatchObject(transfers)
  expect((await get(`/api/v2/tokens/${coin}/holders`)).body).toMatchObject({
    items: [{ address: { hash: checksum(bob) }, value: '400000' }, { value: '5' }],
  })
  expect((await get(`/api/v2/tokens/${coin}`)).body).toMatchObject({
    holders_count: '2',
    total_supply: '400005',
  })
  const ofNobody = `/api/v2/addresses/${zeroAddress}`
  expect((await get(`${ofNobody}/transactions?sort=fee&order=asc`)).body).toMatchObject({
    items: [{ hash, fee: { value: '0' }, gas_used: '0', status: 'ok', position: 0 }],
  })
  expect((await get(`${ofNobody}/tokens`)).body).toMatchObject({ items: [] })
  const { body } = await get(`/api/v2/transactions/${hash}/summary`)
  const minting = { action_type: expect.objectContaining({ value: 'Minted' }) }
  const first = { summary_template_variables: expect.objectContaining(minting) }
  const summaries = expect.arrayContaining([expect.objectContaining(first)])
  expect(body).toMatchObject({ data: { summaries } })
})
