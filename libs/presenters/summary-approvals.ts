import { type Address, isAddress, zeroAddress } from '../chain/hex.ts'
import { decodedEvent } from './abi/event.ts'
import { addressObject } from './address.ts'
import type { Known } from './known.ts'
import type { LogRow } from './log.ts'
import { type Sentence, shownAmount, text, type Variable } from './summary-sentence.ts'
import { decimalsOf, tokenAt } from './token.ts'

/** From here on an allowance is called unlimited: wallets write 2^256-1, old tokens 2^96-1. */
const unlimitedFrom = (1n << 96n) - 1n

interface Approval {
  readonly log: LogRow
  readonly name: string
  readonly spender: Address
  /** The third argument: an amount, a token id, or whether an operator is approved. */
  readonly last: string
}

/** A sentence for each approval among the logs. */
export const approvalSentences = (logs: readonly LogRow[], known: Known): readonly Sentence[] =>
  logs.flatMap((log) => {
    const approval = approvalOf(log)
    return approval === null ? [] : [sentence(approval, known)]
  })

/** What {@link approvalSentences} names: to be looked up beforehand. */
export const approvalsIn = (logs: readonly LogRow[]) =>
  logs.flatMap((log) => {
    const approval = approvalOf(log)
    return approval === null ? [] : [{ token: log.address, spender: approval.spender }]
  })

function approvalOf(log: LogRow): Approval | null {
  const event = decodedEvent(log.topics, log.data)
  if (event === null || !/^Approval(ForAll)?\(/.test(event.method_call)) return null
  const [, spender, last] = event.parameters.map(({ value }) => String(value))
  const address = spender?.toLowerCase() ?? ''
  if (!isAddress(address) || last === undefined) return null
  return { log, name: event.method_call, spender: address, last }
}

function sentence({ log, name, spender, last }: Approval, known: Known): Sentence {
  const isCollection = name.startsWith('ApprovalForAll(') || log.topics.length === 4
  const isRevoked = spender === zeroAddress || last === (isCollection ? 'false' : '0')
  const standard = isCollection ? 'ERC-721' : 'ERC-20'
  const token: Variable = { type: 'token', value: tokenAt(log.address, standard, known) }
  const shared = {
    action_type: text(isRevoked ? 'Revoked approval of' : 'Approved'),
    spender: { type: 'address', value: addressObject(spender, known) } as const,
  }
  if (isRevoked || isCollection) {
    return {
      summary_template: '{action_type} {spender} for {token}',
      summary_template_variables: { ...shared, token },
    }
  }
  const amount = allowance(BigInt(last), Number(decimalsOf(known.token(log.address)) ?? 0))
  return {
    summary_template: '{action_type} {spender} to spend {amount} {token}',
    summary_template_variables: { ...shared, amount, token },
  }
}

const allowance = (value: bigint, decimals: number): Variable =>
  value >= unlimitedFrom ? text('unlimited') : shownAmount(value, decimals)
