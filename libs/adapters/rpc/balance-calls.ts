import { toFunctionSelector } from 'viem'
import type { Address } from '../../chain/hex.ts'
import type { StateRequest, StateResult } from '../../ports/chain-source.ts'
import type { GroupResult } from './best-effort-calls.ts'
import { decodeUint } from './decode-results.ts'

const balanceOf = toFunctionSelector('balanceOf(address)')
const totalSupply = toFunctionSelector('totalSupply()')

/** `holder` is null for the supply. */
export interface TokenCall {
  readonly to: Address
  readonly holder: Address | null
  readonly data: string
}

/** What belongs to one token stands together, as far as it goes into one request. */
export function balanceCalls(
  { balances, supplies }: StateRequest,
  callsMax: number,
): readonly (readonly TokenCall[])[] {
  const byToken = new Map<Address, TokenCall[]>()
  const add = (question: TokenCall) => {
    const known = byToken.get(question.to)
    if (known) known.push(question)
    else byToken.set(question.to, [question])
  }
  for (const to of supplies) add({ to, holder: null, data: totalSupply })
  for (const { token, holder } of balances) {
    add({ to: token, holder, data: `${balanceOf}${holder.slice(2).padStart(64, '0')}` })
  }
  return [...byToken.values()].flatMap((questions) => {
    const count = Math.ceil(questions.length / callsMax)
    return Array.from({ length: count }, (_, at) =>
      questions.slice(at * callsMax, (at + 1) * callsMax),
    )
  })
}

/** What was observed, and what was not. `said` in the order of `groups`. */
export function stateAnswerOf(
  { block, hash }: StateRequest,
  groups: readonly (readonly TokenCall[])[],
  said: readonly GroupResult[],
): StateResult {
  const balances: StateResult['observation']['balances'][number][] = []
  const supplies: StateResult['observation']['supplies'][number][] = []
  const unanswered: { token: Address; holder: Address | null }[] = []
  const failed = new Set<Address>()
  for (const [index, group] of groups.entries()) {
    for (const [at, { to: token, holder }] of group.entries()) {
      const { answers, end } = said[index] ?? { answers: [], end: 'cut-off' }
      const answer = answers[at] ?? null
      if (answer === null) {
        unanswered.push({ token, holder })
        if (end === 'failed') failed.add(token)
        continue
      }
      const value = 'result' in answer ? decodeUint(answer.result) : null
      if (value === null) continue
      if (holder === null) supplies.push({ token, value })
      else balances.push({ token, holder, tokenId: null, value })
    }
  }
  const observation = { block, hash, balances, supplies, owners: [], tokens: [] }
  return { observation, unanswered, failed: [...failed] }
}
