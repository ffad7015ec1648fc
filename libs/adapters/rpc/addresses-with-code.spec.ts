import { describe, expect, it } from 'vitest'
import { assembledMainnet } from '../../../test/support/assembled-mainnet.ts'
import { consecutiveBlocks, mainnetBlock } from '../../../test/support/mainnet-block.ts'
import { address } from '../../chain/hex.ts'
import { addressesWithCode } from './addresses-with-code.ts'
import { assembleBlock } from './assemble-block.ts'
import { blockSchema, receiptsSchema } from './rpc-schemas.ts'

const to = address(`0x${'c0de'.repeat(10)}`)
/** Three bytes that are something and one that is nothing. */
const input = '0x12345600'

/** Whether a call that burned so much proves code. */
function proves(gasUsed: number, of: object = {}): boolean {
  const file = mainnetBlock(4_370_006)
  const said = Array.isArray(file.block.transactions) ? file.block.transactions[0] : null
  const transaction = { ...said, to, input, type: '0x2', ...of }
  const block = blockSchema.parse({ ...file.block, transactions: [transaction] })
  const receipts = receiptsSchema.parse([
    { ...file.receipts[0], gasUsed: `0x${gasUsed.toString(16)}` },
  ])
  return addressesWithCode(block, receipts).length === 1
}

describe('a call proves code', () => {
  const intrinsic = 21_000 + 3 * 16 + 4
  it('where it burned more than its bytes cost', () => {
    expect(proves(intrinsic)).toBe(false)
    expect(proves(intrinsic + 1)).toBe(true)
    expect(proves(intrinsic - 1)).toBe(false)
  })

  it('but not at exactly the price of other times', () => {
    expect(proves(21_000 + 3 * 68 + 4)).toBe(false)
    expect(proves(21_000 + 3 * 40 + 10)).toBe(false)
  })

  it('but not for what its access list costs', () => {
    const accessList = [{ address: to, storageKeys: [`0x${'0'.repeat(64)}`] }]
    expect(proves(intrinsic + 2_400 + 1_900, { accessList })).toBe(false)
    expect(proves(intrinsic + 2_400 + 1_901, { accessList })).toBe(true)
  })

  it('but not for what its authorizations cost', () => {
    const said = { chainId: '0x1', address: to, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }
    const authorizationList = [said, said]
    expect(proves(intrinsic + 50_000, { authorizationList, type: '0x4' })).toBe(false)
    expect(proves(intrinsic + 50_001, { authorizationList, type: '0x4' })).toBe(true)
  })

  it('but not of a precompiled contract, nor by a type of another chain, nor a creation', () => {
    expect(proves(90_000, { to: address(`0x${'1'.padStart(40, '0')}`) })).toBe(false)
    expect(proves(90_000, { type: '0x7e' })).toBe(false)
    expect(proves(90_000, { to: null })).toBe(false)
  })

  it('but not on a chain that counts gas for another', async () => {
    const file = mainnetBlock(20_000_000)
    const proven = (await assembledMainnet(20_000_000)).contracts
    expect(proven.length).toBeGreaterThan(30)
    const foreign = { ...file.block, l1BlockNumber: '0x1' }
    expect((await assembleBlock(foreign, file.receipts, null)).contracts).toEqual([])
  })

  it('in the real blocks for all that log, and for hundreds of calls that do not', () => {
    const blocks = consecutiveBlocks.map((number) => {
      const file = mainnetBlock(number)
      return { block: blockSchema.parse(file.block), receipts: receiptsSchema.parse(file.receipts) }
    })
    const proven = new Set(
      blocks.flatMap(({ block, receipts }) => addressesWithCode(block, receipts)),
    )
    const logs = blocks.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs))
    const logging = new Set(logs.map((log) => log.address))
    const calls = blocks.flatMap(({ block, receipts }) =>
      block.transactions.flatMap(({ to: called, input: sent }, at) =>
        called && sent !== '0x' ? { called, logs: receipts[at]?.logs ?? [] } : [],
      ),
    )
    const only = calls.filter(({ called }) => proven.has(called) && !logging.has(called))
    const onlyCalled = new Set(only.map(({ called }) => called))
    expect([only.length, onlyCalled.size]).toEqual([682, 111])
    const silent = calls.filter(({ called, logs: told }) => told.length > 0 && !proven.has(called))
    expect(silent).toEqual([])
    expect(calls).toHaveLength(1_616)
  })
})
