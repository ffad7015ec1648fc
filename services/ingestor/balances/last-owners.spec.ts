import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { tokenAddress } from '../../../test/support/source-of-values.ts'
import { LastOwners, type OwnerMove } from './last-owners.ts'

const token = tokenAddress(1)
const [alice, bob, carol] = [tokenAddress(0xa), tokenAddress(0xb), tokenAddress(0xc)]
const moved = (tokenId: bigint, from: Address, to: Address): OwnerMove => ({
  ...{ token, tokenId, from, to },
})

describe('the last owner of an id', () => {
  it('is who sends it next', () => {
    const owners = new LastOwners(memoryStateStore())
    expect(owners.note(moved(1n, zeroAddress, alice))).toBe(false)
    expect(owners.note(moved(1n, alice, bob))).toBe(false)
    expect(owners.note(moved(1n, carol, alice))).toBe(true)
    // The log is as good as any from then on.
    expect(owners.note(moved(1n, alice, bob))).toBe(false)
  })

  it('is contradicted by a second mint, but not by one after a burn', () => {
    const owners = new LastOwners(memoryStateStore())
    owners.note(moved(1n, zeroAddress, alice))
    owners.note(moved(1n, alice, zeroAddress))
    expect(owners.note(moved(1n, zeroAddress, bob))).toBe(false)
    expect(owners.note(moved(1n, zeroAddress, carol))).toBe(true)
  })

  it('is unknown of an id that was never moved: it may be older', () => {
    const owners = new LastOwners(memoryStateStore())
    expect(owners.note(moved(1n, carol, alice))).toBe(false)
    expect(owners.note(moved(2n, bob, alice))).toBe(false)
  })

  it('is not remembered of a new id where there is no room, but of one that is known', () => {
    const owners = new LastOwners(memoryStateStore())
    owners.note(moved(1n, zeroAddress, alice))
    owners.note(moved(1n, alice, bob), false)
    owners.note(moved(2n, zeroAddress, alice), false)
    owners.takeBack([moved(3n, zeroAddress, alice)])
    expect(owners.unsavedCount).toBe(1)
    expect(owners.note(moved(1n, alice, bob))).toBe(true)
    expect(owners.note(moved(2n, bob, alice))).toBe(false)
  })

  it('of a volume is known after a restart, and not after it was forgotten', async () => {
    const state = memoryStateStore()
    const owners = new LastOwners(state)
    owners.note(moved(1n, zeroAddress, alice))
    await state.commit([...owners.unsaved()])
    owners.saved()
    expect(new LastOwners(state).note(moved(1n, bob, carol))).toBe(true)
    await owners.forget()
    expect(new LastOwners(state).note(moved(1n, bob, carol))).toBe(false)
  })

  it('is as if a block that was taken back had never been', () => {
    const one = fc.record({
      tokenId: fc.bigInt(0n, 2n),
      to: fc.constantFrom(alice, bob, carol, zeroAddress),
    })
    const blocks = fc.array(fc.record({ forks: fc.boolean(), moves: fc.array(one) }))
    fc.assert(
      fc.property(blocks, (all) => {
        const owners = new LastOwners(memoryStateStore())
        let real = new Map<bigint, Address>()
        for (const { forks, moves } of all) {
          const before = new Map(real)
          const said = moves.map(({ tokenId, to }) => {
            const move = moved(tokenId, real.get(tokenId) ?? zeroAddress, to)
            real.set(tokenId, to)
            return move
          })
          expect(said.map((move) => owners.note(move))).toEqual(said.map(() => false))
          if (!forks) continue
          owners.takeBack(said)
          real = before
        }
      }),
    )
  })
})
