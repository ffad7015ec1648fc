import { expect, test } from 'vitest'
import { noAddressFacts } from '../../../libs/presenters/facts.ts'
import {
  anAddress,
  anAddressState,
  anInstance,
  anNft,
} from '../../../libs/presenters/testing/rows.ts'
import { instanceKey } from '../../../libs/queries/instances/instances.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const [owner, delegate] = [anAddress(0xa7), anAddress(0xd1)]

test('names the code that the owner of an NFT runs', async () => {
  const row = anNft()
  const instance = anInstance({ token: row.token, tokenId: row.tokenId, owner })
  const account = anAddressState({ address: owner, isContract: false, delegate })
  const asked: unknown[] = []
  const { ask } = testApi({
    nftsOfAddress: async () => [row],
    instancesByKey: async () => new Map([[instanceKey(instance), instance]]),
    addressStates: async (addresses) =>
      new Map(addresses.includes(owner) ? [[owner, account]] : []),
    async addressFacts(addresses) {
      asked.push(...addresses)
      const named = { ...noAddressFacts, name: 'Wallet' }
      return new Map(addresses.includes(delegate) ? [[delegate, named]] : [])
    },
  })
  expect(bodyOf(await ask(`/api/v2/addresses/${anAddress(0xa1)}/nft`))).toMatchObject({
    items: [
      {
        owner: { proxy_type: 'eip7702', is_verified: true, implementations: [{ name: 'Wallet' }] },
      },
    ],
  })
  expect(asked.filter((address) => address === delegate)).toHaveLength(1)
})
