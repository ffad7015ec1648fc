import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { tokenAddress } from '../../../test/support/source-of-values.ts'
import { LastOwners, type OwnerMove } from './last-owners.ts'

const token = tokenAddress(1)
const [alice, bob, carol] = [tokenAddress(0xa), tokenAddress(0xb), tokenAddress(0xc)]
const stranger = tokenAddress(0xd)
const moved = (tokenId: bigint, from: Address, to: Address): OwnerMove => ({
  ...{ token, tokenId, from, to },
})

describe('the last owner of an id', () => {
  /** While a message is taken in. */
  const following = () => {
    const owners = new LastOwners(memoryStateStore())
    owners.noteMessage(1)
    return owners
  }

  it('is who sends it next', () => {
    const owners = following()
    expect(owners.note(moved(1n, zeroAddress, alice))).toBe(false)
    expect(owners.note(moved(1n, alice, bob))).toBe(false)
    expect(owners.note(moved(1n, carol, alice))).toBe(true)
    // The log is as good as any from then on.
    expect(owners.note(moved(1n, alice, bob))).toBe(false)
  })

  it('is contradicted by a second mint, but not by one after a burn', () => {
    const owners = following()
    owners.note(moved(1n, zeroAddress, alice))
    owners.note(moved(1n, alice, zeroAddress))
    expect(owners.note(moved(1n, zeroAddress, bob))).toBe(false)
    expect(owners.note(moved(1n, zeroAddress, carol))).toBe(true)
  })

  it('is unknown of an id that was never moved: it may be older', () => {
    const owners = following()
    expect(owners.note(moved(1n, carol, alice))).toBe(false)
    expect(owners.note(moved(2n, bob, alice))).toBe(false)
  })

  it('is not remembered of a new id where there is no room, but of one that is known', () => {
    const owners = following()
    owners.note(moved(1n, zeroAddress, alice))
    owners.note(moved(1n, alice, bob), false)
    owners.note(moved(2n, zeroAddress, alice), false)
    owners.takeBack(moved(3n, zeroAddress, alice), new Set())
    expect(owners.unsavedCount).toBe(1)
    expect(owners.note(moved(1n, alice, bob))).toBe(true)
    expect(owners.note(moved(2n, bob, alice))).toBe(false)
  })

  /** Commits, and opens the volume anew with the memory's last sequence. */
  const restarted = async (owners: LastOwners, state: StateStore, sequence: number) => {
    await state.commit([...owners.unsaved()])
    owners.saved()
    const next = new LastOwners(state)
    next.load(sequence)
    return next
  }
  /** Alice has id 1 since message 5. */
  const known = (state: StateStore) => {
    const owners = new LastOwners(state)
    owners.noteMessage(5)
    owners.note(moved(1n, zeroAddress, alice))
    return owners
  }

  it('is known after a restart, but not where others have gone on without it', async () => {
    const isFound = async (sequence: number) => {
      const state = memoryStateStore()
      const owners = await restarted(known(state), state, sequence)
      owners.noteMessage(sequence + 1)
      return owners.note(moved(1n, bob, carol))
    }
    expect(await isFound(5)).toBe(true)
    expect(await isFound(6)).toBe(false)
  })

  it('is unknown after all was forgotten, until it is moved again', async () => {
    const state = memoryStateStore()
    const owners = known(state)
    owners.forgetAll()
    const next = await restarted(owners, state, 5)
    next.noteMessage(6)
    expect(next.note(moved(1n, bob, carol))).toBe(false)
    expect(next.note(moved(1n, bob, carol))).toBe(true)
    await next.forget()
    next.noteMessage(7)
    expect(next.note(moved(1n, bob, alice))).toBe(false)
  })

  it('is what the standing chain says, over forks and restarts', async () => {
    const one = fc.record({
      tokenId: fc.bigInt(0n, 2n),
      to: fc.constantFrom(alice, bob, carol, zeroAddress),
    })
    const step = fc.record({ depth: fc.nat(3), moves: fc.array(one), isRestarted: fc.boolean() })
    const check = fc.asyncProperty(fc.array(step), async (steps) => {
      const state = memoryStateStore()
      let owners = new LastOwners(state)
      let sequence = 0
      const chain: { before: Map<bigint, Address>; said: OwnerMove[] }[] = []
      let real = new Map<bigint, Address>()
      for (const { depth, moves, isRestarted } of steps) {
        for (const { before, said } of chain.splice(chain.length - depth, depth).reverse()) {
          owners.noteMessage(++sequence)
          const taken = new Set<string>()
          for (const move of said) owners.takeBack(move, taken)
          real = before
        }
        const before = new Map(real)
        owners.noteMessage(++sequence)
        const said = moves.map(({ tokenId, to }) => {
          const move = moved(tokenId, real.get(tokenId) ?? zeroAddress, to)
          real.set(tokenId, to)
          return move
        })
        chain.push({ before, said })
        expect(said.map((move) => owners.note(move))).toEqual(said.map(() => false))
        if (isRestarted) owners = await restarted(owners, state, sequence)
      }
      owners.noteMessage(++sequence)
      const met = new Set(chain.flatMap(({ said }) => said.map(({ tokenId }) => tokenId)))
      for (const id of met) expect(owners.note(moved(id, stranger, alice))).toBe(true)
    })
    await fc.assert(check)
  })
})
