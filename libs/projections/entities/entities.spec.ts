import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../../test/support/any-text.ts'
import { type Address, address, hash } from '../../chain/hex.ts'
import { standards } from '../../chain/token.ts'
import type { Entity } from '../group.ts'
import { stateGroup } from '../state/state-group.ts'
import { accountEntity } from './account.ts'
import { balanceEntity, balanceEntityId, holdingEntity, parseBalanceId } from './balance.ts'
import { BinaryReader } from './binary.ts'
import { chainEntity } from './chain.ts'
import { earlyTransferEntity } from './early-transfer.ts'
import { instanceEntity, instanceId, parseInstanceId } from './instance.ts'
import { tokenEntity, verdicts } from './token.ts'
import { listingEntity, unlistedEntity } from './unlisted.ts'

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b) => Buffer.from(b).toString('hex'))
const anyAddress: fc.Arbitrary<Address> = hexOf(20).map((digits) => address(`0x${digits}`))
const anyHash = hexOf(32).map((digits) => hash(`0x${digits}`))
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 300n }),
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
)
const count = fc.oneof(fc.nat(300), fc.maxSafeNat())
const blockOrNone = fc.oneof(fc.constant(-1), fc.nat())
const standard = fc.option(fc.constantFrom(...standards))
const text = fc.option(anyText(1024))

function survives<V>(entity: Entity<V>, values: fc.Arbitrary<V>): void {
  fc.assert(
    fc.property(values, (value) => {
      expect(entity.decode(entity.encode(value))).toEqual(value)
    }),
  )
}

test('what is stored of a chain is what is read', () => {
  const block = fc.option(fc.nat())
  survives(
    chainEntity,
    fc.record({
      firstBlock: block,
      gapEnd: block,
      observedBefore: block,
      ordinals: count,
      knownFrom: count,
      listingsFrom: count,
      listingsTo: count,
      hasAuthorizations: fc.boolean(),
    }),
  )
})

test('what is stored of a token is what is read', () => {
  survives(
    tokenEntity,
    fc.record({
      ordinal: count,
      standard,
      name: text,
      symbol: text,
      decimals: fc.option(fc.nat(255)),
      describedAt: blockOrNone,
      supply: fc.option(amount),
      supplyAt: blockOrNone,
      holders: count,
      held: amount,
      burned: count,
      unknowns: count,
      isComplete: fc.boolean(),
      verdict: fc.constantFrom(...verdicts),
      shownSince: count,
      calledAt: blockOrNone,
      confirmed: count,
      unlistedFrom: count,
      unlistedTo: count,
      early: count,
      isSettled: fc.boolean(),
      isRepeatable: fc.boolean(),
      isMixed: fc.boolean(),
      hasIndexedAmounts: fc.boolean(),
      knownFrom: count,
    }),
  )
})

test('what is stored of a pair is what is read', () => {
  const value = { value: amount, isKnown: fc.boolean(), owned: count, asOf: blockOrNone }
  const flags = { standard, isUnlisted: fc.boolean(), deviates: fc.boolean(), observedAt: count }
  survives(balanceEntity, fc.record({ ...value, ...flags, ordinal: count, knownFrom: count }))
})

test('what is stored of an instance is what is read', () => {
  const owner = { owner: fc.option(anyAddress), ownerAt: blockOrNone }
  const sums = { held: amount, holdersXor: amount, unknowns: count }
  const since = { isComplete: fc.boolean(), knownFrom: count, observedAt: count }
  survives(instanceEntity, fc.record({ ordinal: count, standard, ...owner, ...sums, ...since }))
})

test('what is stored of a holding or an account is what is read', () => {
  survives(holdingEntity, fc.record({ count, knownFrom: count }))
  survives(
    accountEntity,
    fc.record({
      hasCode: fc.boolean(),
      creationTransaction: fc.option(anyHash),
      createdAt: blockOrNone,
      delegate: fc.option(anyAddress),
      nonce: count,
      isAssumed: fc.boolean(),
      delegateBefore: fc.option(anyAddress),
    }),
  )
})

test('ids of tokens, parts, token ids and holders are distinct, and can be parsed', () => {
  fc.assert(
    fc.property(anyAddress, anyAddress, fc.option(amount), (token, holder, tokenId) => {
      const key = { token, holder, tokenId }
      expect(parseBalanceId(balanceEntityId(key))).toEqual({
        ...key,
        part: tokenId === null ? 0 : 1,
      })
      expect(balanceEntityId(key).startsWith(token.slice(2))).toBe(true)
      if (tokenId === null) return
      expect(parseInstanceId(instanceId(token, tokenId))).toEqual({ token, tokenId })
    }),
  )
})

test('what is stored of something unlisted, or of the listing of a token, is what is read', () => {
  const [anyPair, anyInstance] = [hexOf(73), hexOf(52)]
  survives(unlistedEntity, fc.record({ kind: fc.constant('pair' as const), id: anyPair }))
  survives(unlistedEntity, fc.record({ kind: fc.constant('instance' as const), id: anyInstance }))
  survives(listingEntity, fc.record({ token: anyAddress }))
})

test('what is stored of an early transfer is what is read', () => {
  survives(
    earlyTransferEntity,
    fc.record({
      form: fc.constantFrom('ERC-20', 'ERC-721', 'ERC-1155'),
      from: anyAddress,
      to: anyAddress,
      tokenId: fc.option(amount),
      value: amount,
      batchSize: count,
      block: count,
    }),
  )
})

test('entities have tags of their own', () => {
  const tags = stateGroup.entities.map(({ tag }) => tag)
  expect(new Set(tags).size).toBe(tags.length)
})

test('bytes that end too early are named', () => {
  expect(() => new BinaryReader(Buffer.from([0x80])).integer()).toThrow('ends too early')
  expect(() => new BinaryReader(Buffer.from([2, 1])).amount()).toThrow('ends too early')
})
