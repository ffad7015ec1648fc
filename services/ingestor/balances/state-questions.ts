import type { Block, Observation } from '../../../libs/chain/block.ts'
import type { StateRef, StateRequest, StateResult } from '../../../libs/ports/chain-source.ts'
import type { NonStandardTokens } from './non-standard-tokens.ts'
import type { PendingBalances } from './pending-balances.ts'

/** As the key of a Map. */
export const nameOfValue = ({ token, holder, tokenId }: StateRef): string =>
  `${token} ${holder ?? ''} ${tokenId ?? ''}`

/** Each value once; null if there is none. */
export function questionAfter(
  { number, hash }: Pick<Block, 'number' | 'hash'>,
  asked: readonly StateRef[],
): StateRequest | null {
  const values = [...new Map(asked.map((value) => [nameOfValue(value), value])).values()]
  return values.length === 0 ? null : { block: number, hash, values }
}

/** The values that an observation contains. */
export function* valuesIn(
  observation: Pick<Observation, 'balances' | 'supplies' | 'owners'>,
): Generator<StateRef> {
  for (const { token, holder, tokenId } of observation.balances) yield { token, holder, tokenId }
  for (const { token } of observation.supplies) yield { token, holder: null, tokenId: null }
  for (const { token, tokenId } of observation.owners) yield { token, holder: null, tokenId }
}

export const isEmpty = (observation: Observation): boolean =>
  valuesIn(observation).next().done === true

/** A rejected balance is not pending any more; a silent contract is treated as not a token. */
export function noteOutcome(
  question: StateRequest,
  { observation, unanswered, failed }: StateResult,
  { nonStandard, pending }: { nonStandard: NonStandardTokens; pending: PendingBalances },
): void {
  const asked = question.values
  const seen = [...valuesIn(observation)]
  const observed = new Set(seen.map(nameOfValue))
  const open = new Set(unanswered.map(nameOfValue))
  const answering = new Set(seen.map(({ token }) => token))
  const waiting = new Set(unanswered.map(({ token }) => token))
  for (const token of new Set(asked.map((it) => it.token))) {
    if (failed.includes(token)) nonStandard.noteAsked(token, question.block, 'failed')
    else if (answering.has(token)) nonStandard.noteAsked(token, question.block, 'answered')
    else if (!waiting.has(token) && !nonStandard.hasAnswered(token)) {
      nonStandard.noteAsked(token, question.block, 'silent')
      pending.dropToken(token)
    }
  }
  for (const value of asked) {
    const key = nameOfValue(value)
    if (value.tokenId === null && !observed.has(key) && !open.has(key)) pending.drop(value)
  }
}
