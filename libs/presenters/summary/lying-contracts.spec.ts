import { describe, expect, test } from 'vitest'
import { DecodeBudget } from '../abi/decode-budget.ts'
import {
  all,
  contract,
  emitted,
  ether,
  executed,
  gold,
  other,
  pool,
  sender,
  sentence,
  silver,
  swap,
  tin,
  withdrawal,
} from '../testing/executed.ts'
import { anAddress, aTransfer } from '../testing/rows.ts'
import { namedIn } from './phrase.ts'
import { readingsOf } from './summary.ts'

describe('contracts that lie', () => {
  test('name nobody as a sender: a token can claim that anyone sent it', () => {
    const famous = anAddress(0xfa)
    const claims = [
      [aTransfer({ from: famous, to: other })],
      [aTransfer({ from: famous, to: sender })],
      [aTransfer({ from: famous, to: other }), aTransfer({ from: famous, to: sender })],
      [aTransfer({ from: famous, to: other, value: 0n })],
    ]
    for (const transfers of claims) {
      const one = executed({ transfers })
      const named = readingsOf(one, new DecodeBudget()).flatMap(
        (reading) => namedIn(reading).addresses,
      )
      expect(named).not.toContain(famous)
      expect(sentence({ transfers })).toMatch(/^(Called|Received)/)
    }
  })

  test('swap nothing by an event alone', () => {
    const { log } = swap()
    expect(sentence({ logs: [log] })).toBe('Called transfer on 0x0000..00a2')
    expect(sentence({ transfers: [aTransfer()], logs: [log] })).toMatch(/^Transferred/)
  })

  test('swap nothing by an event whose amounts did not move', () => {
    const { transfers } = swap({ from: other, to: other })
    const { log } = swap({ paid: [gold, 5n], received: [silver, 6n] })
    expect(sentence({ transfers, logs: [log] })).toBe('Called transfer on 0x0000..00a2')
  })

  test('give no coins by the events of a wrapped coin of their own', () => {
    const { transfers, logs } = all(swap({ to: contract, received: [tin, ether] }))
    const says = { transfers, logs: [...logs, withdrawal(ether, tin)] }
    expect(sentence(says)).toBe('Swapped 1 AU for SN')
  })

  test('lend nothing by an event alone', () => {
    const log = emitted('Supply(address,address,address,uint256,uint16)', {
      by: pool,
      indexed: [gold, sender, 0n],
      plain: [sender, 1_500_000n],
    })
    expect(sentence({ logs: [log] })).toBe('Called transfer on 0x0000..00a2')
  })
})
