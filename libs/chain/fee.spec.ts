import { describe, expect, it } from 'vitest'
import { paidFee, rollupFeeOf } from './fee.ts'

const paid = (receiptFields: Readonly<Record<string, string>> | null, type = 2) => ({
  ...{ type, gasUsed: 1_000_000n, gasPrice: 7n },
  receiptFields,
})
const gas = 7_000_000n

describe('what the sender paid (contract 42)', () => {
  it.each([
    ['gas alone', null, 0n],
    ['gas alone where the receipt says other things', { depositNonce: '5' }, 0n],
    ['the fee for data on the other chain', { l1Fee: '10000000000000000' }, 10n ** 16n],
    ['the operator fee of Isthmus', { operatorFeeScalar: '3', operatorFeeConstant: '11' }, 14n],
    ['its constant alone', { operatorFeeConstant: '11' }, 11n],
    [
      'the operator fee of Jovian, whose scalar has another unit',
      { operatorFeeScalar: '3', operatorFeeConstant: '11', daFootprintGasScalar: '400' },
      300_000_011n,
    ],
    ['both', { l1Fee: '5', operatorFeeScalar: '1', operatorFeeConstant: '2' }, 8n],
    ['nothing for a fee with a fraction, which no chain has', { l1Fee: '0.5' }, 0n],
  ])('%s', (_, fields, more) => {
    expect(paidFee(paid(fields))).toBe(gas + more)
  })

  it('nothing for a deposit, which was paid for on the other chain', () => {
    const fields = { l1Fee: '5', operatorFeeScalar: '1', operatorFeeConstant: '2' }
    expect(rollupFeeOf(paid(fields, 0x7e))).toBeNull()
  })

  it('rounds the operator fee of Isthmus down', () => {
    const fields = { operatorFeeScalar: '1999999', operatorFeeConstant: '0' }
    expect(rollupFeeOf({ ...paid(fields), gasUsed: 1n })).toBe(1n)
  })
})
