import { describe, expect, it } from 'vitest'
import { assembledMainnet } from '../../../../test/support/assembled-mainnet.ts'
import type { BlockFile } from '../../../../test/support/mainnet-block.ts'
import { anyHash, bridged, stateSyncBlock } from '../../../../test/support/state-sync-block.ts'
import { hash, zeroAddress } from '../../../chain/hex.ts'
import { assembleBlock } from './assemble-block.ts'
import { stateSyncHash } from './state-sync.ts'

const number = 4_370_006
const assembled = ({ block, receipts }: BlockFile) => assembleBlock(block, receipts)

/** Its transaction and receipt, which the header does not cover. */
const lastOf = ({ block, receipts }: BlockFile) => {
  const transactions = Array.isArray(block.transactions) ? block.transactions : []
  const [transaction, receipt] = [transactions.at(-1), receipts.at(-1)]
  if (!transaction || !receipt) throw new Error('no state sync')
  return { transactions, transaction, receipt }
}

describe("Polygon's state sync (decision 71)", () => {
  it('has the hash that bor gives it: number in eight bytes, big endian', () => {
    // Of block 3 of the reproduction, and of the example of another implementation's tests.
    const block = '0x95bfc8f019be31be08e5ab937dc4846b8b39db13b8704eac35cc222f25de67a8'
    expect(stateSyncHash({ number: 3, hash: hash(block) })).toBe(
      '0xf7942bfb3d8c2ddebdbb4ecfe677a5fa8617e7c8ae0e7c1b192f0ebc47a1d203',
    )
  })

  it('is taken where its hash proves it, after the transactions of the roots', async () => {
    const plain = await assembledMainnet(number)
    const { transactions, contracts } = await assembled(stateSyncBlock(number))
    expect(transactions.slice(0, -1)).toEqual(plain.transactions)
    expect(contracts).toEqual(plain.contracts)
    const logs = [expect.objectContaining({ address: bridged })]
    const zeros = { value: 0n, gasUsed: 0n, gasPrice: 0n, gasLimit: 0n, nonce: 0, type: 0 }
    const added = { ...zeros, from: zeroAddress, to: zeroAddress, status: 1, logs }
    expect(transactions.at(-1)).toMatchObject({ ...added, index: 64 })
  })

  it('is taken as the only transaction of its block', async () => {
    const file = stateSyncBlock(number)
    const { transaction, receipt } = lastOf(file)
    transaction.transactionIndex = '0x0'
    const [log] = Array.isArray(receipt.logs) ? receipt.logs : []
    const logs = [{ ...log, transactionIndex: '0x0', logIndex: '0x0' }]
    // Its header is not hashed without its `mixHash`; bloom and root are those of no receipt.
    const logsBloom = `0x${'0'.repeat(512)}`
    const receiptsRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
    const bare = { mixHash: null, logsBloom, receiptsRoot, transactions: [transaction] }
    const { transactions } = await assembled({
      block: { ...file.block, ...bare },
      receipts: [{ ...receipt, transactionIndex: '0x0', logs }],
    })
    expect(transactions).toHaveLength(1)
  })

  it.each<[string, string, (file: BlockFile) => void]>([
    [
      'under another hash',
      'logsBloom is not that of its logs',
      (file) => {
        const { transaction, receipt } = lastOf(file)
        const another = anyHash('no state sync')
        transaction.hash = another
        receipt.transactionHash = another
        for (const log of Array.isArray(receipt.logs) ? receipt.logs : []) {
          log.transactionHash = another
        }
      },
    ],
    [
      'with coins',
      'transactions[64] is a state sync that is not empty',
      (file) => Object.assign(lastOf(file).transaction, { value: '0x1' }),
    ],
    [
      'from an account',
      'transactions[64] is a state sync that is not empty',
      (file) => Object.assign(lastOf(file).transaction, { from: bridged }),
    ],
    [
      'that burned gas',
      'receipts[64].gasUsed of a state sync is not 0',
      (file) => Object.assign(lastOf(file).receipt, { gasUsed: '0x1' }),
    ],
    [
      'whose receipt is left out',
      'receipts are 64 for 65 transactions: that of the state sync is missing',
      (file) => void file.receipts.pop(),
    ],
    [
      'that only the receipts have',
      'transactions lack the state sync that its receipts have',
      (file) => void lastOf(file).transactions.pop(),
    ],
    [
      'beside another log that the header denies',
      'logsBloom is not that of its logs',
      (file) => {
        const logs = file.receipts.flatMap((it) => (Array.isArray(it.logs) ? it.logs : []))
        Object.assign(logs[0], { address: bridged })
      },
    ],
  ])('is refused %s', async (_, sentence, spoil) => {
    const file = stateSyncBlock(number)
    spoil(file)
    await expect(assembled(file)).rejects.toThrow(`block ${number}: ${sentence}`)
  })
})
