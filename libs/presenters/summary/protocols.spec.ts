import { describe, expect, test } from 'vitest'
import type { Address } from '../../chain/hex.ts'
import {
  contract,
  emitted,
  ether,
  gold,
  knownCoin,
  other,
  paying,
  pool,
  sender,
  sentence,
  silver,
  stranger,
  tagged,
  unit,
} from '../testing/executed.ts'
import { aTransaction, aTransfer } from '../testing/rows.ts'

describe('protocols', () => {
  test('wrapping and unwrapping of the coin that a tag names', () => {
    const own = (name: string) =>
      emitted(`${name}(address,uint256)`, { by: contract, indexed: [sender], plain: [ether] })
    const wraps = { transaction: paying(ether), logs: [own('Deposit')] }
    expect(sentence(wraps, knownCoin)).toBe('Wrapped 1 COIN')
    expect(sentence(wraps)).toBe('Called 0x12345678 on 0x0000..00a2 with 1 COIN')
    expect(sentence({ logs: [own('Withdrawal')] }, knownCoin)).toMatch(/^Unwrapped/)
  })

  test.each([
    ['Supplied 1.5 AU on 0x0000..0090', 'Supply(address,address,address,uint256,uint16)', true],
    [
      'Borrowed 1.5 AU on 0x0000..0090',
      'Borrow(address,address,address,uint256,uint8,uint256,uint16)',
      false,
    ],
  ])('lending: %s', (expected, signature, isPaid) => {
    const rest = isPaid ? [] : [1n, 2n]
    const log = emitted(signature, {
      by: pool,
      indexed: [gold, sender, 0n],
      plain: [sender, 1_500_000n, ...rest],
    })
    const ends = isPaid ? { from: sender, to: other } : { from: other, to: sender }
    expect(sentence({ transfers: [aTransfer(ends)], logs: [log] })).toBe(expected)
    expect(sentence({ transfers: [aTransfer({ ...ends, value: 1n })], logs: [log] })).not.toMatch(
      /Supplied|Borrowed/,
    )
  })

  test('a liquidation, where the amounts moved', () => {
    const action = {
      protocol: 'aave_v3',
      type: 'liquidation_call',
      sums: [
        { token: gold, amount: '1500000' },
        { token: silver, amount: '2000000' },
      ],
    }
    const transaction = aTransaction({ input: '0x00a718a9', actions: JSON.stringify([action]) })
    const debt = aTransfer({ from: contract, to: pool })
    const collateral = aTransfer({ token: silver, from: pool, to: contract, value: 2n * unit })
    expect(sentence({ transaction, transfers: [debt, collateral] })).toBe(
      'Liquidated a loan: repaid 1.5 AU for 2 AG',
    )
    expect(sentence({ transaction, transfers: [debt] })).not.toMatch(/Liquidated/)
  })

  test('a bridge, by a tag of who got it; a name or a token is none', () => {
    const says = { transfers: [aTransfer({ to: stranger })] }
    expect(sentence(says, tagged('bridge'))).toBe('Bridged 1.5 AU through bridge')
    expect(sentence(says, tagged('token-bridge'))).toBe('Bridged 1.5 AU through token-bridge')
    expect(sentence(says, tagged('bridged-token'))).toBe('Transferred 1.5 AU to bridged-token')
    const named = {
      tags: [{ slug: 'bridge', name: 'Bridge', tagType: 'name', ordinal: 0, meta: {} }],
    }
    expect(sentence(says, named)).toBe('Transferred 1.5 AU to Bridge')
    expect(sentence({ transfers: [aTransfer({ to: silver })] }, tagged('bridge'))).toMatch(
      /^Transf/,
    )
  })

  test('coins through a bridge that tells of just that amount', () => {
    const said = (amount: bigint) => ({
      transaction: paying(ether),
      logs: [emitted('Sent(uint256)', { by: stranger, plain: [amount] })],
    })
    const onlyStranger = (at: Address) => (at === stranger ? tagged('bridge') : {})
    expect(sentence(said(ether), onlyStranger)).toBe('Bridged 1 COIN through bridge')
    expect(sentence(said(ether - 1n), onlyStranger)).toMatch(/^Called/)
  })
})
