import { keccak256, serializeTransaction, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { assembledMainnet } from '../../../../test/support/assembled-mainnet.ts'
import { mainnetBlock, singleBlocks } from '../../../../test/support/mainnet-block.ts'
import type { Block, Transaction } from '../../../chain/block.ts'
import { type Hex, zeroHash } from '../../../chain/hex.ts'
import { assembleBlock } from './assemble-block.ts'
import { headerHash } from './check-block.ts'
import { bloomOf } from './receipts-root.ts'

const quantity = (value: bigint | number | null): Hex | null =>
  value === null ? null : toHex(value)

/** The header as a node returns it, from what the log has of the block. */
const headerOf = (block: Block) => ({
  ...block,
  transactions: [],
  withdrawals: [],
  number: quantity(block.number),
  timestamp: quantity(block.timestamp),
  difficulty: quantity(block.difficulty),
  gasLimit: quantity(block.gasLimit),
  gasUsed: quantity(block.gasUsed),
  baseFeePerGas: quantity(block.baseFeePerGas),
  blobGasUsed: quantity(block.blobGasUsed),
  excessBlobGas: quantity(block.excessBlobGas),
  logsBloom: bloomOf(block.transactions.flatMap(({ logs }) => logs)),
})

/** The hash of what was signed, from what the log has of the transaction. */
function hashOf(transaction: Transaction): string {
  const { type, signature, blob, nonce, value, to } = transaction
  if (signature === null) return 'unsigned'
  const { r, s, v, yParity } = signature
  const chainId = 1
  const common = { nonce, value, to, data: transaction.input, gas: transaction.gasLimit }
  const accessList = (transaction.accessList ?? []).map((entry) => ({
    ...entry,
    storageKeys: [...entry.storageKeys],
  }))
  const fees = {
    maxFeePerGas: transaction.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas ?? 0n,
  }
  const { gasPrice } = transaction
  const signed = { r, s, v: v ?? 0n, yParity: yParity ?? Number(v) }
  const authorizationList = transaction.authorizations.map((each) => ({
    address: each.delegate,
    chainId: Number(each.chainId),
    nonce: Number(each.nonce),
    r: each.signature?.r ?? zeroHash,
    s: each.signature?.s ?? zeroHash,
    yParity: Number(each.signature?.yParity),
  }))
  const blobs = {
    blobVersionedHashes: [...(blob?.blobVersionedHashes ?? [])],
    maxFeePerBlobGas: blob?.maxFeePerBlobGas ?? 0n,
  }
  const eip155 = v !== null && v > 28n ? { chainId } : {}
  const typed = { ...common, chainId, accessList }
  const encoded = [
    () => serializeTransaction({ ...common, ...eip155, type: 'legacy', gasPrice }, signed),
    () => serializeTransaction({ ...typed, type: 'eip2930', gasPrice }, signed),
    () => serializeTransaction({ ...typed, type: 'eip1559', ...fees }, signed),
    () => serializeTransaction({ ...typed, type: 'eip4844', ...fees, ...blobs }, signed),
    () => serializeTransaction({ ...typed, type: 'eip7702', ...fees, authorizationList }, signed),
  ][type]
  return encoded === undefined ? 'unknown' : keccak256(encoded())
}

describe('the log has all of a real block', () => {
  // Of two files the hashed field was lost before we had them.
  const hashed = [...singleBlocks.filter((n) => n !== 17_173_049 && n !== 17_173_050), 17_686_110]

  it.each(hashed)('the header of %i hashes to its hash', async (number) => {
    const block = await assembledMainnet(number)
    expect(headerHash(headerOf(block))).toMatchObject({ known: true, hash: block.hash })
  })

  it.each(hashed)('each signed transaction of %i hashes to its hash', async (number) => {
    const { transactions } = await assembledMainnet(number)
    expect(transactions.map(hashOf)).toEqual(transactions.map(({ hash }) => hash))
  })

  it('with blobs, and what they cost', async () => {
    const { transactions } = await assembledMainnet(20_000_000)
    const [blob] = transactions.flatMap((one) => (one.type === 3 ? one.blob : []))
    expect(blob).toEqual({
      blobVersionedHashes: expect.arrayContaining([expect.stringMatching(/^0x01[0-9a-f]{62}$/)]),
      maxFeePerBlobGas: expect.any(BigInt),
      blobGasUsed: expect.any(BigInt),
      blobGasPrice: 1n,
    })
  })
})

describe('what other chains add', () => {
  const { block, receipts } = mainnetBlock(17_686_110)
  const listed = z.array(z.object().loose())
  /** The first block with one transaction that says more, and so does its receipt. */
  async function saying(transaction: object, receipt: object): Promise<Transaction> {
    const [first, ...others] = listed.parse(block.transactions)
    const [of, ...rest] = receipts
    const said = { ...block, transactions: [{ ...first, ...transaction }, ...others] }
    const { transactions } = await assembleBlock(said, [{ ...of, ...receipt }, ...rest])
    const [made] = transactions
    if (made === undefined) throw new Error('no transaction')
    return made
  }

  it('numeric fields of a receipt, under their names, as plain decimals', async () => {
    const { receiptFields } = await saying(
      {},
      {
        ...{ l1Fee: '0x2386f26fc10000', l1FeeScalar: '0.684', l1GasUsed: '0x640' },
        ...{ depositNonce: '0x7', l1BlockNumber: 17, gasUsedForL1: '12' },
        ...{ feePayer: `0x${'ab'.repeat(20)}`, l1Hash: `0x${'cd'.repeat(32)}` },
        ...{ timeboosted: true, kind: 'deposit', nothing: null, 'a name': '0x1' },
        blockTimestamp: '0x5',
      },
    )
    expect(receiptFields).toEqual({
      ...{ depositNonce: '7', gasUsedForL1: '12', l1BlockNumber: '17' },
      ...{ l1Fee: '10000000000000000', l1FeeScalar: '0.684', l1GasUsed: '1600' },
    })
  })

  it('at most 32 of them, those that are charged first', async () => {
    const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`a${n}`, `0x${n}`]))
    const { receiptFields } = await saying({}, { ...many, l1Fee: '0x5' })
    expect(Object.keys(receiptFields ?? {})).toHaveLength(32)
    expect(receiptFields).toMatchObject({ l1Fee: '5', a0: '0' })
  })

  it('what a deposit says', async () => {
    const sourceHash = `0x${'ab'.repeat(32)}`
    const { deposit } = await saying({ sourceHash, mint: '0x5', isSystemTx: false }, {})
    expect(deposit).toEqual({ sourceHash, mint: 5n, isSystemTx: false })
  })

  it('a malformed field is null, and holds up no block', async () => {
    const wild = { r: 'none', blobVersionedHashes: 7, sourceHash: '0x12', mint: [], yParity: '0x7' }
    const { signature, blob, deposit, receiptFields } = await saying(wild, {
      ...{ blobGasPrice: 'free', l1Fee: '0xzz', operatorFeeScalar: { deep: true } },
    })
    expect([signature, blob, deposit, receiptFields]).toEqual([null, null, null, null])
  })

  it('extra data up to 64 KiB, and nothing of a longer one', async () => {
    const extra = async (bytes: number) => {
      const spoken = { ...block, extraData: `0x${'ab'.repeat(bytes)}`, mixHash: null }
      return (await assembleBlock(spoken, receipts)).extraData?.length ?? null
    }
    expect([await extra(32), await extra(65_536), await extra(65_537)]).toEqual([66, 131_074, null])
  })
})
