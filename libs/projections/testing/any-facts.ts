import fc from 'fast-check'
import { zeroAddress } from '../../chain/hex.ts'
import { standards } from '../../chain/token.ts'
import {
  alice,
  type BlockFact,
  balance,
  batchMoved,
  blockOf,
  bob,
  burned,
  carol,
  contract,
  created,
  deposited,
  describing,
  type Fact,
  gap,
  moved,
  nftMoved,
  observed,
  together,
  transferred,
  withdrawn,
} from './facts.ts'

const token = fc.integer({ min: 1, max: 4 }).map(contract)
const person = fc.constantFrom(alice, bob, carol, zeroAddress)
const ends = fc.tuple(person, person)
const small = fc.bigInt({ min: 0n, max: 4n })
const amount = fc.oneof(
  { weight: 9, arbitrary: small },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }) },
)
const item = fc.tuple(small, amount)
const block: fc.Arbitrary<BlockFact> = fc.oneof(
  fc.tuple(token, ends, amount).map((args) => transferred(...args)),
  fc.tuple(token, ends, small).map((args) => nftMoved(...args)),
  fc.tuple(token, ends, item).map((args) => moved(...args)),
  fc.tuple(token, ends, fc.array(item, { maxLength: 4 })).map((args) => batchMoved(...args)),
  fc.tuple(token, person).map(([of, from]) => burned(of, from, 1n)),
  token.map(created),
  fc.tuple(person, token, small).map(([authority, delegate, nonce]) =>
    blockOf({
      logs: [],
      authorizations: [{ chainId: 0n, nonce, authority, delegate, signature: null }],
    }),
  ),
  token.map((of) => ({ ...blockOf({ logs: [] }), contracts: [of] })),
  fc
    .tuple(token, person, amount, fc.boolean())
    .map(([of, who, value, isIn]) =>
      isIn ? deposited(of, who, value) : withdrawn(of, who, value),
    ),
  fc
    .tuple(token, fc.constantFrom(null, ...standards), fc.option(amount), fc.option(fc.boolean()))
    .map(([address, standard, totalSupply, hasCodeBefore]) =>
      describing(blockOf(), { address, standard, totalSupply, name: 'N', hasCodeBefore }),
    ),
)
const seen: fc.Arbitrary<Fact> = fc.oneof(
  fc
    .tuple(token, person, fc.tuple(fc.option(small), small), fc.nat(3))
    .map(([of, holder, what, age]) => observed(balance(of, holder, what), { age })),
  fc
    .tuple(token, person, small, fc.nat(3))
    .map(([of, owner, tokenId, age]) =>
      observed({ owners: [{ token: of, tokenId, owner }] }, { age }),
    ),
  fc
    .tuple(token, amount, fc.nat(3))
    .map(([of, value, age]) => observed({ supplies: [{ token: of, value }] }, { age })),
)
const fact: fc.Arbitrary<Fact> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(block, { minLength: 1, maxLength: 4 }).map((facts) => together(...facts)),
  },
  { weight: 2, arbitrary: seen },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map(gap) },
)
/** Content of a log: all kinds of transfers, observations, gaps, by few people and tokens. */
export const anyFacts: fc.Arbitrary<Fact[]> = fc.array(fact, { minLength: 1, maxLength: 8 })
