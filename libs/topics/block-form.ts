import { z } from 'zod'
import { coinEmittersMax } from '../chain/coin-emitters.ts'
import { extraBytesMax } from '../chain/node-fields.ts'
import { addressText, amountText, hashText, hexText, integerNumber, second } from './quantities.ts'
import { added, transaction } from './transaction-form.ts'

/** The next one must be an integer too. */
export const numberOfBlock = integerNumber.max(Number.MAX_SAFE_INTEGER - 1, 'above 2^53-2')

const withdrawal = z.object({
  index: amountText,
  validatorIndex: amountText,
  address: addressText,
  amount: amountText,
})

const extraData = z
  .string()
  .regex(/^0x[0-9a-f]*$/, 'not lower-case hex bytes')
  .max(2 + 2 * extraBytesMax, `more than ${extraBytesMax} bytes`)
  .pipe(hexText)

const headerFields = {
  size: added(integerNumber),
  difficulty: added(amountText),
  totalDifficulty: added(amountText),
  extraData: added(extraData),
  nonce: added(hexText),
  mixHash: added(hashText),
  sha3Uncles: added(hashText),
  uncles: added(z.array(hashText)),
  stateRoot: added(hashText),
  transactionsRoot: added(hashText),
  receiptsRoot: added(hashText),
  withdrawalsRoot: added(hashText),
  withdrawals: added(z.array(withdrawal)),
  blobGasUsed: added(amountText),
  excessBlobGas: added(amountText),
  parentBeaconBlockRoot: added(hashText),
  requestsHash: added(hashText),
}

const anyBlock = z.object({
  number: numberOfBlock,
  hash: hashText,
  parentHash: hashText,
  timestamp: second,
  parentTimestamp: second.nullable(),
  miner: addressText,
  gasLimit: amountText,
  gasUsed: amountText,
  baseFeePerGas: amountText.nullable(),
  coinEmitters: z.array(addressText).max(coinEmittersMax).optional(),
  ...headerFields,
  transactions: z.array(transaction),
})

/** A block of topic `blocks`. */
export const block = anyBlock.superRefine(({ transactions }, context) => {
  const message = faultOfPlaces(transactions)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

interface Placed {
  readonly index: number
}

/** Keys of rows depend on places: two of one place would be one key. Null if nothing is wrong. */
export function faultOfPlaces(
  transactions: readonly (Placed & { hash: string; logs: readonly Placed[] })[],
): string | null {
  if (!isAscending(transactions) || !isAscending(transactions.flatMap(({ logs }) => logs))) {
    return 'indexes that do not ascend'
  }
  const hashes = new Set(transactions.map(({ hash }) => hash))
  return hashes.size === transactions.length ? null : 'the same hash twice'
}

const isAscending = (placed: readonly Placed[]): boolean =>
  placed.every(({ index }, at) => index > (placed[at - 1]?.index ?? -1))
