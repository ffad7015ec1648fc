import { toEventSelector } from 'viem'
import { addressInWord, dataWords, wordOf } from '../../chain/abi-words.ts'
import type { Address } from '../../chain/hex.ts'
import type { LogRow } from '../objects/log.ts'
import { coin, tokenAmount } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import { isWrappedCoin, type Reading, type SummaryContext } from './phrase.ts'

/** Coins that the sender itself wrapped or unwrapped, at the contract that it called. */
export function wrapReadings({ transaction, logs }: ExecutedTransaction): readonly Reading[] {
  const { from, to, value } = transaction
  if (to === null) return []
  const { wrapped, unwrapped } = wrappingsIn(logs.filter(({ address }) => address === to))
  const [deposit, anotherDeposit] = wrapped
  const [withdrawal, anotherWithdrawal] = unwrapped
  if (anotherDeposit !== undefined || anotherWithdrawal !== undefined) return []
  const holds = ({ lookups, chainId }: SummaryContext) => isWrappedCoin(to, lookups, chainId)
  const requiredAddresses = [to]
  if (deposit?.account === from && withdrawal === undefined && deposit.amount === value) {
    return [{ verb: 'Wrapped', parts: [{ asset: coin(value) }], holds, requiredAddresses }]
  }
  if (withdrawal?.account === from && deposit === undefined) {
    return [
      {
        verb: 'Unwrapped',
        parts: [{ asset: tokenAmount(to, withdrawal.amount) }],
        holds,
        requiredAddresses,
      },
    ]
  }
  return []
}

const depositTopic: string = toEventSelector('Deposit(address,uint256)')
const withdrawalTopic: string = toEventSelector('Withdrawal(address,uint256)')

/** An account's coins that were wrapped or unwrapped, by the log of a contract. */
interface Wrapping {
  readonly token: Address
  readonly account: Address
  readonly amount: bigint
}

/** Amounts in the events of wrapped coins, which any contract can emit. */
export interface Wrappings {
  readonly wrapped: readonly Wrapping[]
  readonly unwrapped: readonly Wrapping[]
}

export const wrappingsIn = (logs: readonly LogRow[]): Wrappings => ({
  wrapped: logs.flatMap((log) => wrappingOf(log, depositTopic)),
  unwrapped: logs.flatMap((log) => wrappingOf(log, withdrawalTopic)),
})

function wrappingOf({ address: token, topics, data }: LogRow, topic: string): Wrapping[] {
  if (topics[0] !== topic || topics.length !== 2 || dataWords(data) !== 1) return []
  const account = addressInWord(topics[1])
  return account === null ? [] : [{ token, account, amount: BigInt(wordOf(data, 0)) }]
}

/** The sum of the logs of one token. */
export const sumOf = (wrappings: readonly Wrapping[], token: Address): bigint =>
  wrappings.reduce((sum, one) => (one.token === token ? sum + one.amount : sum), 0n)

/** Of a token what those who wrapped coins unwrapped: it may have gone back to the sender. */
export function unwrappedAgain({ wrapped, unwrapped }: Wrappings, token: Address): bigint {
  const accounts = new Set(wrapped.map(({ account }) => account))
  return sumOf(
    unwrapped.filter(({ account }) => accounts.has(account)),
    token,
  )
}
