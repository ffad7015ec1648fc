import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseAbiEntry } from '../../../libs/chain/abi-entry.ts'
import { eventTopic } from '../../../libs/chain/abi-words.ts'
import type { Address, Hex } from '../../../libs/chain/hex.ts'
import { type AddressFacts, noAddressFacts } from '../../../libs/presenters/facts.ts'
import {
  aLog,
  anAddress,
  anAddressState,
  aToken,
  aTransaction,
  aTransfer,
} from '../../../libs/presenters/testing/rows.ts'
import { abiKey } from '../../../libs/queries/contract-abis.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const [proxy, implementation] = [anAddress(1), anAddress(2)]
const [delegate, account] = [anAddress(3), anAddress(4)]
const contracts: Readonly<Record<string, Address>> = { proxy, implementation, delegate }
const topic = eventTopic('Pinged(uint256)')
const log = aLog({ address: proxy, topics: [topic], data: `0x${'0'.repeat(64)}` })
const selector: Hex = '0x12345678'

type Texts = Readonly<Record<string, string>>

/** Answers of ABIs, by contract, and of what is well known. */
function saying(abis: Texts, wellKnown: string | null = null): Answers {
  const entriesOf = (text: string | undefined | null) => {
    const entry = text ? parseAbiEntry(text) : null
    return entry === null ? [] : [entry]
  }
  const keys = Object.entries(abis).flatMap(([name, text]) =>
    [topic, selector].map((of) => [abiKey(contracts[name] ?? account, of), text] as const),
  )
  return {
    abiEntries: async (asked) =>
      new Map(
        asked.flatMap((key) =>
          entriesOf(new Map(keys).get(key)).map((entry) => [key, entry] as const),
        ),
      ),
    signatureEntries: async (asked) => new Map(asked.map((one) => [one, entriesOf(wellKnown)])),
    addressFacts: async (asked) =>
      new Map(
        asked.includes(proxy)
          ? [
              [
                proxy,
                { ...noAddressFacts, implementations: [{ address: implementation, name: null }] },
              ],
            ]
          : [],
      ),
    addressStates: async (asked) =>
      new Map(
        asked.includes(account)
          ? [[account, anAddressState({ address: account, isContract: false, delegate })]]
          : [],
      ),
  }
}

const shownLogs = z.object({
  items: z.array(z.object({ decoded: z.object({ method_call: z.string() }).nullable() })),
})

test.each([
  [
    'its own ABI',
    { proxy: 'event Pinged(uint256 own)', implementation: 'event Pinged(uint256 run)' },
    'Pinged(uint256 own)',
  ],
  [
    'the ABI of its implementation',
    { implementation: 'event Pinged(uint256 run)' },
    'Pinged(uint256 run)',
  ],
  ['well-known signatures', {}, 'Pinged(uint256 known)'],
])('decodes a log by %s', async (_, abis, expected) => {
  const { ask } = testApi({
    ...saying(abis, 'event Pinged(uint256 known)'),
    logsOfAddress: async () => [log],
  })
  const body = bodyOf(await ask(`/api/v2/addresses/${proxy}/logs`))
  expect(shownLogs.parse(body).items[0]?.decoded?.method_call).toBe(expected)
})

test('decodes a call to an account by the code that it runs', async () => {
  const row = aTransaction({ to: account, input: selector })
  const { ask } = testApi({
    ...saying({ delegate: 'walk()' }),
    transactionsOfAddress: async () => [row],
  })
  const body = bodyOf(await ask(`/api/v2/addresses/${account}/transactions`))
  expect(body).toMatchObject({
    items: [{ method: 'walk', decoded_input: { method_call: 'walk()', method_id: '12345678' } }],
  })
})

test('reads ABIs of what a contract runs only where it runs another', async () => {
  const asked: string[] = []
  const answers = saying({})
  const { ask } = testApi({
    ...answers,
    addressFacts: async () => new Map(),
    logsOfAddress: async () => [log, { ...log, logIndex: 6 }],
    async abiEntries(keys) {
      if (keys.length > 0) asked.push(...keys)
      return new Map()
    },
  })
  await ask(`/api/v2/addresses/${proxy}/logs`)
  expect(asked).toEqual([abiKey(proxy, topic)])
})

test('names implementations by their tags, and shows a token whose address is a scam as one', async () => {
  const tag = { slug: 'vault', name: 'Vault', tagType: 'name', ordinal: 0, meta: {} }
  const state = aToken({ token: proxy })
  const { ask } = testApi({
    ...saying({}),
    tokenStates: async () => new Map([[proxy, state]]),
    async addressFacts(asked) {
      const own = { ...noAddressFacts, implementations: [{ address: implementation, name: null }] }
      const all = new Map<Address, AddressFacts>([
        [proxy, { ...own, isScam: true }],
        [implementation, { ...noAddressFacts, tags: [tag] }],
      ])
      return new Map([...all].filter(([address]) => asked.includes(address)))
    },
    transfersOfToken: async () => [aTransfer({ token: proxy, to: proxy })],
  })
  expect(bodyOf(await ask(`/api/v2/tokens/${proxy}/transfers`))).toMatchObject({
    items: [
      {
        to: { implementation_name: 'Vault', implementations: [{ name: 'Vault' }], is_scam: true },
        token: { reputation: 'scam' },
      },
    ],
  })
  expect(bodyOf(await ask(`/api/v2/tokens/${proxy}`))).toMatchObject({ reputation: 'scam' })
})
