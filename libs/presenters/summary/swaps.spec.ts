import { describe, expect, test } from 'vitest'
import { address } from '../../chain/hex.ts'
import {
  all,
  contract,
  deposit,
  emitted,
  ether,
  gold,
  knownCoin,
  other,
  paying,
  sentence,
  silver,
  stranger,
  swap,
  tin,
  unit,
  withdrawal,
  wrappedCoin,
} from '../testing/executed.ts'
import { anAddress, aTransfer } from '../testing/rows.ts'

describe('swaps', () => {
  test('are summed over their hops', () => {
    const [first, second] = [anAddress(0x91), anAddress(0x92)]
    const hops = [
      swap({ by: first, to: contract, received: [tin, 7n] }),
      swap({ by: second, at: 5, from: contract, paid: [tin, 7n] }),
    ]
    expect(sentence(all(...hops))).toBe('Swapped 1 AU for 3 AG')
  })

  test('are summed over the ways that a router split them into', () => {
    const [first, second] = [anAddress(0x91), anAddress(0x92)]
    expect(sentence(all(swap({ by: first }), swap({ by: second, at: 5 })))).toBe(
      'Swapped 2 AU for 6 AG',
    )
  })

  test('of coins are told as such where a tag names the wrapped coin, else as its token', () => {
    const { transfers, logs } = all(swap({ from: contract, paid: [wrappedCoin, ether] }))
    const says = { transaction: paying(ether), transfers, logs: [deposit(ether), ...logs] }
    expect(sentence(says, knownCoin)).toBe('Swapped 1 COIN for 3 AG')
    expect(sentence(says)).toBe('Swapped 1 WCOIN for 3 AG')
  })

  test('for coins are told by what was unwrapped', () => {
    const { transfers, logs } = all(swap({ to: contract, received: [wrappedCoin, ether] }))
    const says = { transfers, logs: [...logs, withdrawal(ether)] }
    expect(sentence(says, knownCoin)).toBe('Swapped 1 AU for 1 COIN')
    expect(sentence(says)).toBe('Swapped 1 AU for 1 WCOIN')
  })

  test('do not count what a router gave back', () => {
    const { transfers, logs } = all(swap({ from: contract, paid: [wrappedCoin, ether] }))
    const says = {
      transaction: paying(3n * ether),
      transfers,
      logs: [deposit(3n * ether), ...logs, withdrawal(2n * ether)],
    }
    expect(sentence(says, knownCoin)).toBe('Swapped 1 COIN for 3 AG')
  })

  test('leave out what a token sells of its own fees amid them', () => {
    const fees = swap({ from: gold, to: contract, received: [wrappedCoin, ether / 2n] })
    const own = swap({ at: 10, to: contract, received: [wrappedCoin, ether] })
    const { transfers, logs } = all(fees, own)
    const says = { transfers, logs: [...logs, withdrawal(ether / 2n), withdrawal(ether)] }
    expect(sentence(says, knownCoin)).toBe('Swapped 1 AU for 1 COIN')
  })

  test('are named after the exchange whose pools they prove to be', () => {
    const usdc = address('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
    const weth = address('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
    const by = address('0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc')
    const amounts = { paid: [usdc, unit], received: [weth, ether] } as const
    expect(sentence(all(swap({ by, ...amounts })))).toMatch(/ on Uniswap V2$/)
    expect(sentence(all(swap(amounts)))).not.toMatch(/ on /)
  })

  test('are named after the exchange too where a router reports the same amounts again', () => {
    const usdc = address('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
    const weth = address('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
    const by = address('0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc')
    const { transfers, logs } = all(swap({ by, paid: [usdc, unit], received: [weth, ether] }))
    const reported = (received: bigint) =>
      emitted('Swapped(address,address,address,address,uint256,uint256)', {
        ...{ by: contract, at: 20 },
        plain: [contract, usdc, weth, contract, unit, received],
      })
    expect(sentence({ transfers, logs: [...logs, reported(ether)] })).toMatch(/ on Uniswap V2$/)
    expect(sentence({ transfers, logs: [...logs, reported(ether + 1n)] })).not.toMatch(/ on /)
  })

  test('of several people are counted, not summed', () => {
    const [first, second] = [anAddress(0x91), anAddress(0x92)]
    const there = swap({ by: first, from: other, to: other })
    const back = swap({
      by: second,
      at: 5,
      from: stranger,
      to: stranger,
      paid: [silver, 2n * unit],
      received: [gold, unit / 2n],
    })
    expect(sentence(all(there, back))).toBe('Made 2 swaps')
  })

  test('that go on by ways nobody knows are counted only', () => {
    const { transfers, logs } = all(swap({ from: contract, to: contract }))
    const onward = aTransfer({ token: silver, from: contract, to: stranger, value: 3n * unit })
    const back = aTransfer({ token: gold, from: stranger, to: contract, value: 2n * unit })
    expect(sentence({ transfers: [...transfers, onward, back], logs })).toBe('Made 1 swap')
  })
})
