import { describe, expect, it } from 'vitest'
import { type BlockFile, mainnetBlock } from '../../../../test/support/mainnet-block.ts'
import { anyHash } from '../../../../test/support/state-sync-block.ts'
import { assembleBlock } from './assemble-block.ts'

const number = 4_370_006

/** With a hash that is not that of its header, as chains with another consensus have it. */
function foreignBlock(): BlockFile {
  const text = JSON.stringify(mainnetBlock(number))
  const { block } = mainnetBlock(number)
  return JSON.parse(text.replaceAll(String(block.hash), anyHash('of another header')))
}

const logsOf = ({ receipts }: BlockFile): Record<string, unknown>[] =>
  receipts.flatMap(({ logs }) => (Array.isArray(logs) ? logs : []))

/** A change of the header's fields. */
const header =
  (changes: object) =>
  ({ block }: BlockFile): void =>
    void Object.assign(block, changes)

const spoils: readonly (readonly [string, (file: BlockFile) => void])[] = [
  ['a hash that is not that of its header', () => {}],
  ['a bloom of zeros', header({ logsBloom: `0x${'0'.repeat(512)}` })],
  ['a bloom of ones', header({ logsBloom: `0x${'f'.repeat(512)}` })],
  ['a bloom of one byte', header({ logsBloom: '0x0' })],
  ['no bloom', header({ logsBloom: null })],
  ['a constant receipts root', header({ receiptsRoot: `0x${'0'.repeat(64)}` })],
  [
    'log indexes that leave numbers out',
    (file) => {
      for (const [at, log] of logsOf(file).entries()) {
        log.logIndex = `0x${(5 + 2 * at).toString(16)}`
      }
    },
  ],
]

describe('header rules (decision 71)', () => {
  it.each(spoils)('linked takes a block with %s, Ethereum refuses it', async (_, spoil) => {
    const file = foreignBlock()
    spoil(file)
    const { block, receipts } = file
    await expect(assembleBlock(block, receipts)).rejects.toThrow(`block ${number}: `)
    const made = await assembleBlock(block, receipts, { rules: 'linked' })
    expect(made.transactions).toHaveLength(64)
    // What its gas means is not known either.
    expect(made.contracts).toEqual([])
  })

  it('linked takes a block without a receipts root', async () => {
    const { block, receipts } = foreignBlock()
    const bare = { ...block, receiptsRoot: null }
    expect((await assembleBlock(bare, receipts, { rules: 'linked' })).number).toBe(number)
  })

  it('linked takes a block that has bits in its bloom and no transaction', async () => {
    const block = { ...foreignBlock().block, transactions: [] }
    expect((await assembleBlock(block, [], { rules: 'linked' })).transactions).toEqual([])
    const real = { ...mainnetBlock(number).block, transactions: [] }
    await expect(assembleBlock(real, [])).rejects.toThrow('logsBloom is not that of its logs')
  })

  it.each<[string, string, (file: BlockFile) => void]>([
    ['a receipt missing', 'receipts are 63 for 64', ({ receipts }) => void receipts.pop()],
    [
      'receipts of another block',
      'receipts[0].blockHash is of another block',
      ({ receipts }) => void Object.assign(receipts[0] ?? {}, { blockHash: anyHash('other') }),
    ],
    [
      'a log twice',
      'indexes of logs have to ascend in the whole block',
      (file) => void Object.assign(logsOf(file)[1] ?? {}, { logIndex: '0x0' }),
    ],
    [
      'log indexes that start anew at each transaction',
      'indexes of logs have to ascend in the whole block',
      ({ receipts }) => {
        for (const { logs } of receipts) {
          for (const [at, log] of (Array.isArray(logs) ? logs : []).entries()) {
            log.logIndex = `0x${at.toString(16)}`
          }
        }
      },
    ],
    [
      'a transaction in another place',
      'transactions[1].transactionIndex is not 1',
      ({ block }) => {
        const transactions = Array.isArray(block.transactions) ? block.transactions : []
        Object.assign(transactions[1], { transactionIndex: '0x2' })
      },
    ],
  ])('linked refuses %s', async (_, sentence, spoil) => {
    const file = foreignBlock()
    spoil(file)
    const assembled = assembleBlock(file.block, file.receipts, { rules: 'linked' })
    await expect(assembled).rejects.toThrow(sentence)
  })
})
