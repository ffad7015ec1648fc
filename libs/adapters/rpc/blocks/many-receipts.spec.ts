import { expect, test } from 'vitest'
import { z } from 'zod'
import { mainnetBlock } from '../../../../test/support/mainnet-block.ts'
import { blockOfManyFrom, manyReceiptsFrom } from './many-receipts.ts'
import { blockSchema, receiptsSchema } from './rpc-schemas.ts'

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const log = (at: number) => ({
  address: `0x${'c0'.repeat(20)}`,
  topics: [word(at)],
  data: '0x',
  logIndex: `0x${at.toString(16)}`,
  transactionHash: word(1),
  transactionIndex: '0x0',
  blockHash: word(2),
  removed: false,
})
const receipt = (logs: readonly object[]) => ({
  transactionHash: word(1),
  transactionIndex: '0x0',
  blockHash: word(2),
  blockNumber: '0x5',
  type: '0x2',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  status: '0x1',
  l1Fee: '0x7',
  logs,
})
const many = Array.from({ length: 2_500 }, (_, at) => log(at))

test('many logs are read as few are, with pauses', async () => {
  const said = [receipt(many), receipt([])]
  expect(await manyReceiptsFrom(said)).toEqual(receiptsSchema.parse(said))
})

test('few logs, and what is wrong, are left to the schema', async () => {
  expect(await manyReceiptsFrom([receipt([log(0)])])).toBeNull()
  expect(await manyReceiptsFrom([receipt([...many, { ...log(0), data: 5 }])])).toBeNull()
  expect(await manyReceiptsFrom(null)).toBeNull()
})

test('many transactions, and many receipts of few logs, are read as few are', async () => {
  const { block, receipts } = mainnetBlock(20_000_000)
  const transactions = z.array(z.looseObject({})).parse(block.transactions)
  const many = Array.from({ length: 2_500 }, (_, at) => transactions[at % transactions.length])
  const said = { ...block, transactions: many }
  expect(await blockOfManyFrom(said)).toEqual(blockSchema.parse(said))
  expect(await blockOfManyFrom({ ...said, number: 'five' })).toBeNull()
  expect(await blockOfManyFrom({ ...said, transactions: [...many, {}] })).toBeNull()
  expect(await blockOfManyFrom(block)).toBeNull()
  const manyReceipts = Array.from({ length: 2_500 }, (_, at) => receipts[at % receipts.length])
  expect(await manyReceiptsFrom(manyReceipts)).toEqual(receiptsSchema.parse(manyReceipts))
})
