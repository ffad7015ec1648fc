import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { address, hash } from '../../chain/hex.ts'
import { type FirstTransfer, packedTransfers, unpackedTransfers } from './transaction-columns.ts'

const blockHash = hash(`0x${'b1'.repeat(32)}`)
const anAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => address(`0x${Buffer.from(bytes).toString('hex')}`))
const amount = fc.oneof(
  fc.constantFrom(0n, 1n, 255n, 256n),
  fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }),
)
const index = fc.oneof(fc.constantFrom(0, 255, 256), fc.nat({ max: 0xffff_ffff }))
const transfer: fc.Arbitrary<FirstTransfer> = fc.record({
  token: anAddress,
  from: anAddress,
  to: anAddress,
  logIndex: index,
  batchIndex: index,
  batchSize: index,
  form: fc.nat({ max: 255 }),
  tokenId: fc.option(amount, { nil: null }),
  value: amount,
})

describe('first transfers', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(transfer, { minLength: 1, maxLength: 10 }), (transfers) => {
        const packed = packedTransfers(blockHash, transfers)
        expect(unpackedTransfers(packed)).toEqual({ blockHash, transfers })
      }),
    )
  })

  it('take nothing where there are none', () => {
    expect(packedTransfers(blockHash, [])).toBe('0x')
    expect(unpackedTransfers('0x')).toBeNull()
  })

  it('that end too early are refused, wherever they end', () => {
    const [one] = fc.sample(transfer, { seed: 1, numRuns: 1 })
    const packed = packedTransfers(blockHash, one === undefined ? [] : [one])
    const ofBlock = 2 + 2 * 32
    for (let end = 4; end < packed.length; end += 2) {
      const cut = `0x${packed.slice(2, end)}` as const
      // The hash alone is the block of no transfers.
      if (end === ofBlock) expect(unpackedTransfers(cut)?.transfers).toEqual([])
      else expect(() => unpackedTransfers(cut)).toThrow('transfers end too early')
    }
  })
})
