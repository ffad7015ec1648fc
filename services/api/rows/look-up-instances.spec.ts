import { expect, test } from 'vitest'
import { checksum } from '../../../libs/presenters/address.ts'
import {
  aHash,
  anAddress,
  anAddressState,
  anInstance,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { type InstanceKey, instanceKey } from '../../../libs/queries/instances/instances.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const [token, coin, owner] = [anAddress(0x71), anAddress(0x70), anAddress(0xa1)]
const wallet = anAddress(0xd1)

/** Instances as their questions find them, and what these were asked. */
function collection() {
  const asked: InstanceKey[] = []
  const known = anInstance({ token, tokenId: 7n, owner })
  const facts = { metadata: { name: 'Seven' }, media: null }
  const states = [
    aToken({ token, standard: indexOf('ERC-721'), decimals: null }),
    aToken({ token: coin }),
  ]
  const { ask } = testApi({
    tokenStates: async (tokens) =>
      new Map(
        states.flatMap((state) => (tokens.includes(state.token) ? [[state.token, state]] : [])),
      ),
    async instancesByKey(keys) {
      asked.push(...keys)
      const found = keys.filter((key) => instanceKey(key) === instanceKey(known))
      return new Map(found.map((key) => [instanceKey(key), known]))
    },
    instanceFacts: async (keys) =>
      new Map(keys.filter(({ tokenId }) => tokenId === 7n).map((key) => [instanceKey(key), facts])),
    addressStates: async (addresses) =>
      new Map(
        addresses.includes(owner)
          ? [[owner, anAddressState({ address: owner, isContract: false, delegate: wallet })]]
          : [],
      ),
    transfersOfToken: async () => [aTransfer({ token, value: 7n })],
    placesOfTransactions: async (hashes) =>
      new Map(hashes.map((hash) => [hash, aTransaction({ hash })])),
    transfersOfTransaction: async () => [
      aTransfer({ token: coin, value: 7n, logIndex: 1 }),
      aTransfer({ token, value: 7n, logIndex: 2 }),
      aTransfer({ token, value: 8n, logIndex: 3 }),
      aTransfer({ token, tokenId: 7n, form: indexOf('ERC-721'), value: 1n, logIndex: 4 }),
    ],
  })
  return { ask, asked }
}

const seven = {
  ...{ id: '7', is_unique: true, holder_address_hash: checksum(owner) },
  owner: { hash: checksum(owner), proxy_type: 'eip7702' },
  token: { type: 'ERC-721' },
  metadata: { name: 'Seven' },
}

test('a transfer with its id in the data shows the instance, of one token (decision 61)', async () => {
  const { ask, asked } = collection()
  expect(bodyOf(await ask(`/api/v2/tokens/${token}/transfers`))).toMatchObject({
    items: [{ token_type: 'ERC-721', total: { value: '1', token_id: '7', token_instance: seven } }],
  })
  expect(asked).toEqual([{ token, tokenId: 7n }])
})

test('beside amounts of other tokens, unknown ids, and the same id in another form', async () => {
  const { ask, asked } = collection()
  const path = `/api/v2/transactions/${aHash(0x7a)}/token-transfers`
  expect(bodyOf(await ask(path))).toMatchObject({
    items: [
      { token_type: 'ERC-20', total: { value: '7', decimals: '6' } },
      { total: { token_id: '7', token_instance: seven } },
      { total: { token_id: '8', token_instance: { id: '8', owner: null, metadata: null } } },
      { total: { token_id: '7', token_instance: seven } },
    ],
  })
  expect(asked.map(({ tokenId }) => tokenId).toSorted()).toEqual([7n, 7n, 8n])
})
