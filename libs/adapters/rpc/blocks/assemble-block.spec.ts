import { describe, expect, it } from 'vitest'
import { assembledMainnet } from '../../../../test/support/assembled-mainnet.ts'
import {
  type BlockFile,
  consecutiveBlocks,
  mainnetBlock,
  singleBlocks,
} from '../../../../test/support/mainnet-block.ts'
import { address } from '../../../chain/hex.ts'
import { addressesWithCode, assembleBlock } from './assemble-block.ts'
import { headerHash } from './check-block.ts'
import { blockSchema, receiptsSchema } from './rpc-schemas.ts'

const assembled = (file: BlockFile) => assembleBlock(file.block, file.receipts)

/** Of files from before the Merge lost their `mixHash` on the way: these cannot be proved. */
const unprovable = [17_173_049, 17_173_050]

describe('real blocks', () => {
  // All twelve in a row are assembled by test/ingestor/folder-source.spec.ts.
  it.each([...singleBlocks, ...consecutiveBlocks.slice(0, 1)])(
    'block %i is whole',
    async (number) => {
      const { block, receipts } = mainnetBlock(number)
      const { hash, transactions, ...made } = await assembledMainnet(number)
      expect([made.number, hash]).toEqual([number, block.hash])
      expect(transactions).toHaveLength(receipts.length)
    },
  )

  it.each([...singleBlocks, ...consecutiveBlocks])('the header of block %i is proved', (number) => {
    const { block } = mainnetBlock(number)
    const computed = headerHash(block)
    if (unprovable.includes(number)) expect(computed).toMatchObject({ missing: ['mixHash'] })
    else expect(computed).toMatchObject({ known: true, hash: block.hash, surplus: [] })
  })

  it('leaves the status open where receipts are older than it', async () => {
    const { transactions } = await assembledMainnet(4_369_999)
    expect(new Set(transactions.map(({ status }) => status))).toEqual(new Set([null]))
  })

  it('takes the price from the transaction if the receipt has none', async () => {
    const file = mainnetBlock(4_370_006)
    const { transactions } = await assembledMainnet(4_370_006)
    const said = itemOf(file.block.transactions, 0).gasPrice
    expect(transactions[0]?.gasPrice).toBe(BigInt(String(said)))
  })

  it('recovers who signed the authorizations of type 4', async () => {
    const { transactions } = await assembledMainnet(22_869_878)
    expect(new Set(transactions.map(({ type }) => type))).toEqual(new Set([0, 1, 2, 3, 4]))
    expect(transactions.flatMap(({ authorizations }) => authorizations)).toEqual([
      {
        chainId: 1n,
        nonce: 2n,
        delegate: '0x000000009b1d0af20d8c6d0a44e162d11f9b8f00',
        authority: '0x5abad0069981bb2b8f044deef445ca6bda2fcbab',
        signature: {
          r: '0x07d2e41c5351fe9b195d6fc077fd4235a56f751da405bac176a042df996afa9b',
          s: '0x54c2275764d0d1d41560434382568f77a0d2b66c447cf0f00012b0fb453e1eca',
          yParity: 0n,
        },
      },
      {
        chainId: 1n,
        nonce: 11n,
        delegate: '0x07926b8fbfddf09cd66a7fcdc2b224b8482e6690',
        authority: '0x54042ea304ef65829bae182835409e039bf36bee',
        signature: {
          r: '0x9677629a1c1d0c4c068e87b882a16f217592c331f1a1e6b81a6aaf208e3a2244',
          s: '0x03e081bcf67a587b64bf7e9a25dd821e1376f15b991f7b94bf3d17126f70b664',
          yParity: 1n,
        },
      },
    ])
  })
})

describe('a block that contradicts itself is refused, with the field', () => {
  type Spoil = (file: BlockFile) => void
  const transaction = (file: BlockFile, at: number) => itemOf(file.block.transactions, at)
  const receipt = (file: BlockFile, at: number) => itemOf(file.receipts, at)
  const logOf = (file: BlockFile) => {
    const holder = file.receipts.find((each) => Array.isArray(each.logs) && each.logs.length > 1)
    return itemOf(holder?.logs, 0)
  }
  const foreign = `0x${'12'.repeat(32)}`

  it.each<[string, string, Spoil]>([
    ['a header field', 'hash', (file) => set(file.block, 'gasUsed', '0x1')],
    ['another hash', 'hash', (file) => set(file.block, 'hash', foreign)],
    ['no number', 'number', (file) => set(file.block, 'number', null)],
    ['a receipt missing', 'receipts are 63 for 64', (file) => file.receipts.pop()],
    ['receipts in another order', 'receipts[0].transactionHash', (file) => file.receipts.reverse()],
    [
      'transactions as hashes',
      'transactions.0',
      (file) => set(file.block, 'transactions', [foreign]),
    ],
    [
      'a foreign transaction',
      'transactions[3].blockHash',
      (file) => set(transaction(file, 3), 'blockHash', foreign),
    ],
    [
      'a transaction of another number',
      'transactions[3].blockNumber',
      (file) => set(transaction(file, 3), 'blockNumber', '0x1'),
    ],
    [
      'a transaction in another place',
      'transactions[3].transactionIndex',
      (file) => set(transaction(file, 3), 'transactionIndex', '0x4'),
    ],
    [
      'a receipt of another fork',
      'receipts[3].blockHash',
      (file) => set(receipt(file, 3), 'blockHash', foreign),
    ],
    [
      'a receipt of another number',
      'receipts[3].blockNumber',
      (file) => set(receipt(file, 3), 'blockNumber', '0x1'),
    ],
    [
      'a receipt in another place',
      'receipts[3].transactionIndex',
      (file) => set(receipt(file, 3), 'transactionIndex', '0x4'),
    ],
    ['a removed log', 'removed', (file) => set(logOf(file), 'removed', true)],
    ['a log of another block', 'blockHash', (file) => set(logOf(file), 'blockHash', foreign)],
    [
      'a log of another transaction',
      'transactionHash',
      (file) => set(logOf(file), 'transactionHash', foreign),
    ],
    [
      'a log in another place',
      'transactionIndex',
      (file) => set(logOf(file), 'transactionIndex', '0x0'),
    ],
    ['a log of another index', 'logIndex', (file) => set(logOf(file), 'logIndex', '0xffff')],
    [
      'another address in a log',
      'logsBloom',
      (file) => set(logOf(file), 'address', `0x${'ab'.repeat(20)}`),
    ],
    ['other data in a log', 'receiptsRoot', (file) => set(logOf(file), 'data', '0x12')],
    ['another status', 'receiptsRoot', (file) => set(receipt(file, 0), 'status', '0x0')],
    ['no status but nonsense', 'status', (file) => set(receipt(file, 0), 'status', '0x2')],
    [
      'an amount above 256 bits',
      'value',
      (file) => set(transaction(file, 0), 'value', `0x1${'0'.repeat(64)}`),
    ],
    [
      'a fee that no reader of the topic takes',
      'receipts[3] has a fee above 2^256-1',
      (file) => set(receipt(file, 3), 'effectiveGasPrice', `0x${'f'.repeat(64)}`),
    ],
    [
      'a type that no reader of the topic takes',
      'transactions.3.type is malformed: above 2^32-1',
      (file) => set(transaction(file, 3), 'type', '0x100000000'),
    ],
    [
      'a transaction twice',
      'transactions hold the same hash twice',
      (file) => {
        const { hash } = transaction(file, 2)
        set(transaction(file, 3), 'hash', hash)
        set(receipt(file, 3), 'transactionHash', hash)
      },
    ],
    [
      'a time in milliseconds',
      'timestamp is malformed: beyond the year 9999: the time of a block is in seconds',
      (file) => set(file.block, 'timestamp', `0x${(1_700_000_000_000).toString(16)}`),
    ],
    ['a broken address', 'from', (file) => set(transaction(file, 0), 'from', '0x12')],
    ['five topics', 'topics', (file) => set(logOf(file), 'topics', Array(5).fill(foreign))],
  ])('%s', async (_, field, spoil) => {
    const file = mainnetBlock(4_370_006)
    spoil(file)
    const refusal = await assembled(file).catch(String)
    expect(refusal).toContain(field)
    expect(refusal).toMatch(/^(?:Block|Receipts)Inconsistent: block (4370006|of unknown number): /)
  })

  it('one of two equal logs missing, which no bloom filter detects', async () => {
    const file = mainnetBlock(4_370_006)
    const last = file.receipts.findLast((each) => Array.isArray(each.logs) && each.logs.length > 0)
    if (Array.isArray(last?.logs)) last.logs.pop()
    await expect(assembled(file)).rejects.toThrow('receiptsRoot')
  })
})

describe('what nodes return in different forms', () => {
  it('believes a header with fields that it does not know, if the rest agrees', async () => {
    const file = mainnetBlock(4_370_006)
    set(file.block, 'extraData', '0x1234')
    await expect(assembled(file)).rejects.toThrow('hash')
    set(file.block, 'l1BlockNumber', '0x1')
    expect((await assembled(file)).number).toBe(4_370_006)
  })

  it('lowers checksummed addresses', async () => {
    const file = mainnetBlock(4_370_006)
    const plain = await assembledMainnet(4_370_006)
    for (const receipt of file.receipts) {
      for (const log of Array.isArray(receipt.logs) ? receipt.logs : []) {
        set(log, 'address', String(log.address).toUpperCase().replace('0X', '0x'))
      }
    }
    expect(await assembled(file)).toEqual(plain)
  })

  it('gives no contract to a failed creation, though the receipt names one', async () => {
    const file = mainnetBlock(4_370_006)
    const at = 0
    // Without it the changed receipt would be found out by the root.
    set(file.block, 'receiptsRoot', null)
    set(itemOf(file.block.transactions, at), 'to', null)
    set(itemOf(file.receipts, at), 'contractAddress', `0x${'cd'.repeat(20)}`)
    set(itemOf(file.receipts, at), 'status', '0x0')
    expect((await assembled(file)).transactions[at]).toMatchObject({
      to: null,
      status: 0,
      createdContract: null,
    })
  })

  /** Authorities of two authorizations, the first of which is another than was signed. */
  async function authoritiesWhere(spoil: (signature: Record<string, unknown>) => void) {
    const file = mainnetBlock(22_869_878)
    const said = Array.isArray(file.block.transactions) ? file.block.transactions : []
    spoil(itemOf(said.find((each) => each.type === '0x4')?.authorizationList, 0))
    const { transactions } = await assembled(file)
    return transactions.flatMap(({ authorizations }) =>
      authorizations.map(({ authority }) => authority),
    )
  }

  it('names no authority for a signature that no key made', async () => {
    const authorities = await authoritiesWhere((signature) =>
      set(signature, 's', `0x${'f'.repeat(64)}`),
    )
    expect(authorities).toEqual([null, expect.stringMatching(/^0x/)])
  })

  it('nor for the twin of one with a high s, which the chain refuses', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const authorities = await authoritiesWhere((signature) => {
      set(signature, 's', `0x${(order - BigInt(String(signature.s))).toString(16)}`)
      set(signature, 'yParity', signature.yParity === '0x0' ? '0x1' : '0x0')
    })
    expect(authorities).toEqual([null, expect.stringMatching(/^0x/)])
  })
})

function set(target: Record<string, unknown>, name: string, value: unknown): void {
  target[name] = value
}

function itemOf(list: unknown, at: number): Record<string, unknown> {
  if (Array.isArray(list)) return list[at]
  throw new Error('no list')
}

const to = address(`0x${'c0de'.repeat(10)}`)
/** Three bytes that are something and one that is nothing. */
const input = '0x12345600'

/** Whether a call that burned so much proves code. */
async function proves(gasUsed: number, of: object = {}): Promise<boolean> {
  const file = mainnetBlock(4_370_006)
  const said = Array.isArray(file.block.transactions) ? file.block.transactions[0] : null
  const transaction = { ...said, to, input, type: '0x2', ...of }
  const block = blockSchema.parse({ ...file.block, transactions: [transaction] })
  const receipts = receiptsSchema.parse([
    { ...file.receipts[0], gasUsed: `0x${gasUsed.toString(16)}` },
  ])
  return (await addressesWithCode(block, receipts)).length === 1
}

describe('a call proves code', () => {
  const intrinsic = 21_000 + 3 * 16 + 4
  it('where it burned more than its bytes cost', async () => {
    expect(await proves(intrinsic)).toBe(false)
    expect(await proves(intrinsic + 1)).toBe(true)
    expect(await proves(intrinsic - 1)).toBe(false)
  })

  it('but not at exactly the price of other times', async () => {
    expect(await proves(21_000 + 3 * 68 + 4)).toBe(false)
    expect(await proves(21_000 + 3 * 40 + 10)).toBe(false)
  })

  it('but not for what its access list costs', async () => {
    const accessList = [{ address: to, storageKeys: [`0x${'0'.repeat(64)}`] }]
    expect(await proves(intrinsic + 2_400 + 1_900, { accessList })).toBe(false)
    expect(await proves(intrinsic + 2_400 + 1_901, { accessList })).toBe(true)
  })

  it('but not for what its authorizations cost', async () => {
    const said = { chainId: '0x1', address: to, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }
    const authorizationList = [said, said]
    expect(await proves(intrinsic + 50_000, { authorizationList, type: '0x4' })).toBe(false)
    expect(await proves(intrinsic + 50_001, { authorizationList, type: '0x4' })).toBe(true)
  })

  it('but not of a precompiled contract, nor by a type of another chain, nor a creation', async () => {
    expect(await proves(90_000, { to: address(`0x${'1'.padStart(40, '0')}`) })).toBe(false)
    expect(await proves(90_000, { type: '0x7e' })).toBe(false)
    expect(await proves(90_000, { to: null })).toBe(false)
  })

  it('but not on a chain that counts gas for another', async () => {
    const file = mainnetBlock(20_000_000)
    const proven = (await assembledMainnet(20_000_000)).contracts
    expect(proven.length).toBeGreaterThan(30)
    const foreign = { ...file.block, l1BlockNumber: '0x1' }
    expect((await assembleBlock(foreign, file.receipts)).contracts).toEqual([])
  })

  it('in the real blocks for all that log, and for hundreds of calls that do not', async () => {
    const blocks = consecutiveBlocks.map((number) => {
      const file = mainnetBlock(number)
      return { block: blockSchema.parse(file.block), receipts: receiptsSchema.parse(file.receipts) }
    })
    const found = blocks.map(({ block, receipts }) => addressesWithCode(block, receipts))
    const proven = new Set((await Promise.all(found)).flat())
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
