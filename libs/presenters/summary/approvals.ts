import { toEventSelector } from 'viem'
import { addressInWord, dataWords, wordOf } from '../../chain/abi-words.ts'
import { type Address, zeroAddress } from '../../chain/hex.ts'
import type { LogRow } from '../objects/log.ts'
import { tokenAmount } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import type { Part, Reading } from './phrase.ts'

const approvalTopic: string = toEventSelector('Approval(address,address,uint256)')
const approvalForAllTopic: string = toEventSelector('ApprovalForAll(address,address,bool)')

/** From here on an allowance is called unlimited: wallets write 2^256-1, old tokens 2^96-1. */
const unlimitedFrom = (1n << 96n) - 1n

/** Approvals in one summary, each in a sentence. */
const approvalsMax = 3

/** Allowances that the sender granted; those of other owners are ignored. */
export const approvalReadings = ({ transaction, logs }: ExecutedTransaction): readonly Reading[] =>
  logs
    .filter(({ topics }) => addressInWord(topics[1]) === transaction.from)
    .flatMap(approvalOf)
    .slice(0, approvalsMax)

function approvalOf(log: LogRow): readonly Reading[] {
  const { address: token, topics, data } = log
  const spender = addressInWord(topics[2])
  if (spender === null) return []
  if (topics[0] === approvalForAllTopic && topics.length === 3 && dataWords(data) === 1) {
    return [collection(token, spender, BigInt(wordOf(data, 0)) !== 0n)]
  }
  if (topics[0] !== approvalTopic) return []
  if (topics[3] !== undefined) return [single(token, spender, BigInt(topics[3]))]
  return dataWords(data) === 1 ? [allowance(token, spender, BigInt(wordOf(data, 0)))] : []
}

const revoked = 'Revoked approval of'
const spending = (spender: Address): Part => ({ address: ['spender', spender] })

const collection = (token: Address, spender: Address, isApproved: boolean): Reading => ({
  verb: isApproved ? 'Approved' : revoked,
  parts: [spending(spender), 'for all', { token: ['token', token, 'ERC-721'] }],
})

/** No spender is how the approval of an id ends. */
function single(token: Address, spender: Address, tokenId: bigint): Reading {
  const id: readonly Part[] = [
    { asset: { kind: 'nfts', token, form: 'ERC-721', items: [{ tokenId, amount: 1n }] } },
  ]
  if (spender === zeroAddress) return { verb: revoked, parts: id }
  return { verb: 'Approved', parts: [spending(spender), 'for', ...id] }
}

function allowance(token: Address, spender: Address, amount: bigint): Reading {
  const named: Part = { token: ['token', token, 'ERC-20'] }
  if (amount === 0n) return { verb: revoked, parts: [spending(spender), 'for', named] }
  const what: readonly Part[] =
    amount >= unlimitedFrom
      ? [{ text: ['amount', 'unlimited'] }, named]
      : [{ asset: tokenAmount(token, amount) }]
  return { verb: 'Approved', parts: [spending(spender), 'to spend', ...what] }
}
