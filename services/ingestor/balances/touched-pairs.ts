import type { Block } from '../../../libs/chain/block.ts'
import { coinEmittersOf } from '../../../libs/chain/coin-emitters.ts'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import { readTransfers } from './read-transfers.ts'

/** One side of a transfer, but of ERC-1155. */
export interface Move {
  readonly token: Address
  readonly holder: Address
  readonly delta: bigint
}

/**
 * With pauses. Ids of ERC-1155 have no balance that a contract returns for a holder alone: their
 * logs, which may hold hundreds of thousands of transfers, are not decoded.
 */
export async function eachMove(
  block: Block,
  pause: Pause,
  note: (move: Move) => void,
): Promise<void> {
  const transfers = await readTransfers(block, pause)
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      const paused = pause()
      if (paused !== undefined) await paused
      for (const { token, from, to, value } of transfers.amountsOfLog(log)) {
        if (from !== zeroAddress) note({ token, holder: from, delta: -value })
        if (to !== zeroAddress) note({ token, holder: to, delta: value })
      }
    }
  }
}

export interface Touched {
  /** Some holders whose balances the block moved, by token. */
  readonly holders: ReadonlyMap<Address, ReadonlySet<Address>>
  /** Contracts that it called, as far as it tells, and those that logged anything. */
  readonly called: ReadonlySet<Address>
}

/** Of one token: a sample asks for no more. */
const holdersPerTokenMax = 64

export async function touchedIn(block: Block, pause: Pause): Promise<Touched> {
  const holders = new Map<Address, Set<Address>>()
  await eachMove(block, pause, ({ token, holder }) => {
    const known = holders.get(token) ?? new Set()
    if (known.size < holdersPerTokenMax) holders.set(token, known.add(holder))
  })
  return { holders, called: await calledIn(block, pause) }
}

async function calledIn(block: Block, pause: Pause): Promise<ReadonlySet<Address>> {
  const called = new Set<Address>()
  for (const { to, logs, calls } of block.transactions) {
    if (to !== null) called.add(to)
    for (const { address } of logs) {
      called.add(address)
      const paused = pause()
      if (paused !== undefined) await paused
    }
    for (const call of calls ?? []) {
      if (call.to !== null) called.add(call.to)
      const paused = pause()
      if (paused !== undefined) await paused
    }
  }
  for (const emitter of coinEmittersOf(block)) called.delete(emitter)
  return called
}
