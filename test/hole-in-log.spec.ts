import { afterAll, beforeAll, expect, test } from 'vitest'
import { zeroAddress } from '../libs/chain/hex.ts'
import {
  alice,
  balance,
  batchMoved,
  bob,
  carol,
  contract,
  created,
  describing,
  type Fact,
  gap,
  minted,
  moved,
  nftMinted,
  nftMoved,
  observed,
  transferred,
} from '../libs/projections/testing/facts.ts'
import { logOf, testChain } from '../libs/projections/testing/log-of.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { checkAnswers } from './oracle/check.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { knowledgeOf } from './oracle/knowledge.ts'
import { seed } from './oracle/scope.ts'

const [coin, cats, kinds, later] = [contract(1), contract(2), contract(3), contract(4)]
const facts: Fact[] = []
let embedded: EmbeddedServices

beforeAll(async () => {
  embedded = await startEmbedded(testChain)
})

afterAll(() => embedded.stop())

/** Publishes what comes next; then every list of everybody is what the oracle makes of the log. */
async function expectRightAfter(...next: Fact[]): Promise<void> {
  const before = facts.length
  facts.push(...next)
  const messages = logOf(facts)
  const wire = messages.slice(before).map((one) => ({ key: '1', value: encodeMessage(one) }))
  await embedded.eventLog.append('blocks', wire)
  const head = messages.findLast(({ kind }) => kind === 'block.applied')
  if (head?.kind !== 'block.applied') throw new Error('no block')
  await embedded.reached(messages.length, head.block.number)
  const round = { seed, nth: 0, last: 1 }
  const everybody = { busiest: 100, others: 0, round }
  const checked = await checkAnswers(embedded.get, knowledgeOf(messages), everybody)
  expect(checked.differences, `seed ${seed}`).toEqual([])
}

/** Every answer is asked for here, and kept: the gap has to make it old. */
test('what is known before a gap is shown', () =>
  expectRightAfter(
    describing(minted(coin, alice, 50n), { address: coin, name: 'Coin', totalSupply: 50n }),
    transferred(coin, [alice, bob], 20n),
    nftMinted(cats, alice, 1n),
    nftMinted(cats, alice, 2n),
    nftMinted(cats, bob, 3n),
    moved(kinds, [zeroAddress, alice], [7n, 1n]),
    batchMoved(
      kinds,
      [zeroAddress, bob],
      [
        [8n, 4n],
        [9n, 5n],
      ],
    ),
  ))

test('nothing of it is after the gap, but what the blocks since say', async () => {
  await expectRightAfter(gap(3), nftMoved(cats, [alice, carol], 1n))
  const { body } = await embedded.get(`/api/v2/addresses/${alice}/tokens`)
  expect(body).toEqual({ items: [], next_page_params: null })
  const { body: token } = await embedded.get(`/api/v2/tokens/${coin}`)
  expect(token).toMatchObject({ name: 'Coin', total_supply: null, holders_count: null })
  const { body: nfts } = await embedded.get(`/api/v2/addresses/${bob}/nft`)
  expect(nfts).toMatchObject({ items: [] })
})

test('what moves, or is created, or is observed since is known again', () =>
  expectRightAfter(
    transferred(coin, [alice, bob], 1n),
    created(later),
    minted(later, alice, 9n),
    observed(balance(coin, alice, [null, 29n])),
    observed(balance(kinds, bob, [8n, 4n])),
    transferred(coin, [alice, carol], 4n),
    moved(kinds, [bob, alice], [8n, 1n]),
  ))

test('and forgotten by the next gap', () =>
  expectRightAfter(gap(1), nftMoved(cats, [bob, alice], 3n), transferred(coin, [bob, carol], 1n)))
