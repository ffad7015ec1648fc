import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { parseAbiEntry } from '../../../libs/chain/abi-entry.ts'
import { eventTopic } from '../../../libs/chain/abi-words.ts'
import { zeroAddress } from '../../../libs/chain/hex.ts'
import {
  aHash,
  aLog,
  anAddress,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const orderFulfilled = eventTopic(
  'OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])',
)
const order = parseAbiParameters([
  'bytes32 hash, address recipient, Offered[] offer, Wanted[] consideration',
  'struct Offered { uint8 itemType; address token; uint256 identifier; uint256 amount; }',
  'struct Wanted { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }',
])
const wanted = {
  ...{ itemType: 0, token: zeroAddress, identifier: 0n, amount: 1n },
  recipient: anAddress(0xa3),
}
/** A sale with some 300 values. */
const sale = aLog({
  topics: [orderFulfilled],
  data: encodeAbiParameters(order, [aHash(1), anAddress(0xa1), [], Array(60).fill(wanted)]),
})

/** The method of a call that two functions of one selector may be; its input fits the second. */
async function methodBeside(sales: number): Promise<unknown> {
  const transaction = aTransaction({
    input: `0x12345678${'f'.repeat(64)}`,
    value: 1n,
    transfersCount: 1,
  })
  const bought = aTransfer({
    ...{ form: indexOf('ERC-721'), tokenId: 7n, value: 1n },
    ...{ from: anAddress(0xa3), to: transaction.from },
  })
  const entries = ['function first(string)', 'function second(uint256)'].flatMap(
    (text) => parseAbiEntry(text) ?? [],
  )
  const { ask } = testApi({
    transactionsByHash: async () => new Map([[transaction.hash, transaction]]),
    transfersOfTransaction: async () => [bought],
    logsOfTransaction: async () => Array(sales).fill(sale),
    signatureEntries: async (asked) => new Map(asked.map((one) => [one, entries])),
  })
  const body = bodyOf(await ask(`/api/v2/transactions/${transaction.hash}/summary`))
  const { summaries } = Object(body).data
  return summaries.at(-1).summary_template_variables.method.value
}

test('a summary decodes its sales and its call within one budget', async () => {
  expect(await methodBeside(1)).toBe('second')
  expect(await methodBeside(10)).toBe('first')
})
