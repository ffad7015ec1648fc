import { expect, test } from 'vitest'
import { address, hash } from '../../../libs/chain/hex.ts'
import { accountEntity } from '../../../libs/projections/entities/account.ts'
import { balanceEntity, holdingEntity } from '../../../libs/projections/entities/balance.ts'
import { chainEntity } from '../../../libs/projections/entities/chain.ts'
import { earlyTransferEntity } from '../../../libs/projections/entities/early-transfer.ts'
import { instanceEntity } from '../../../libs/projections/entities/instance.ts'
import { tokenEntity } from '../../../libs/projections/entities/token.ts'
import { listingEntity, unlistedEntity } from '../../../libs/projections/entities/unlisted.ts'
import { stateFormat } from './checkpoint.ts'

const someone = address(`0x${'ab'.repeat(20)}`)
const token = { ordinal: 3, standard: 'ERC-404', name: 'N', symbol: null, decimals: 18 } as const
const supply = {
  describedAt: 4,
  supply: 300n,
  supplyAt: 5,
  holders: 6,
  held: 300n,
  isComplete: true,
}
const trust = {
  unknowns: 2,
  verdict: 'deviating',
  shownSince: 300,
  calledAt: 6,
  confirmed: 1,
} as const
const waiting = { unlistedFrom: 1, unlistedTo: 300, early: 300 }
const burned = 0
const forms = { isSettled: false, isRepeatable: true, isMixed: true, hasIndexedAmounts: false }
const knownFrom = 300
const pair = { value: 300n, isKnown: true, isUnlisted: true, owned: 2, asOf: 4, ordinal: 3 }
const seen = { deviates: true, observedAt: 300 }
const sums = { held: 300n, holdersXor: 5n, unknowns: 2, isComplete: false }
const counters = { ordinals: 300, listingsFrom: 1, listingsTo: 2 }
const hole = { firstBlock: 1, gapEnd: null, observedBefore: 7, knownFrom }

test('a stored form is changed together with the number of the format', () => {
  const stored = [
    chainEntity.encode({ ...hole, ...counters, hasAuthorizations: true }),
    tokenEntity.encode({ ...token, ...supply, ...waiting, ...trust, ...forms, burned, knownFrom }),
    balanceEntity.encode({ ...pair, ...seen, standard: 'ERC-20', knownFrom }),
    instanceEntity.encode({
      ...{
        ordinal: 3,
        standard: 'ERC-721',
        owner: someone,
        ownerAt: 4,
        knownFrom,
        observedAt: 300,
      },
      ...sums,
    }),
    holdingEntity.encode({ count: 300, knownFrom }),
    unlistedEntity.encode({ kind: 'instance', id: 'ab'.repeat(52) }),
    listingEntity.encode({ token: someone }),
    earlyTransferEntity.encode({
      ...{ form: 'ERC-721', from: someone, to: someone, tokenId: 300n, value: 1n },
      ...{ batchSize: 2, block: 9 },
    }),
    accountEntity.encode({
      hasCode: true,
      creationTransaction: hash(`0x${'cd'.repeat(32)}`),
      createdAt: 4,
      delegate: someone,
      nonce: 9,
      isAssumed: true,
      delegateBefore: someone,
    }),
  ].map((form) => form.toString('hex'))
  expect({ stateFormat, stored }).toEqual({
    stateFormat: 8,
    stored: [
      '020008ac02ac02010201',
      '7c0306050601ac02ac0203ac02070102ac020602012c02012c12014e',
      '3903050202012cac02ac02',
      '0a0305abababababababababababababababababababab0202012c0105ac02ac02',
      'ac02ac02',
      '0134abababababababababababababababababababababababababababababababababababababababababababababababababababab',
      'abababababababababababababababababababab',
      '0aabababababababababababababababababababababababababababababababababababababababab0101020902012c',
      '1f0509cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdabababababababababababababababababababababababababababababababababababababababab',
    ],
  })
})
