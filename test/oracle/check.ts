import { isDeepStrictEqual } from 'node:util'
import { balanceFactOf, tokenFactOf } from './bodies.ts'
import { differenceOf, differencesOf } from './compare.ts'
import type { Knowledge } from './knowledge.ts'
import {
  type BareList,
  everyBalanceOf,
  listsOfAddress,
  listsOfToken,
  listsOfTransaction,
} from './lists.ts'
import { tokenOf } from './lists-of-token.ts'
import { isDue, type Round } from './plan.ts'
import { chosenFrom, subjectsOf } from './subjects.ts'
import type { Get } from './walk.ts'

/** What a check has seen, so that a test can tell that it saw anything. */
export interface Checked {
  readonly differences: readonly string[]
  readonly lists: number
  readonly items: number
}

export interface Choice {
  readonly busiest: number
  /** Random subjects, over all kinds. */
  readonly others: number
}

/** Reports stop at so many differences: the first few tell what is wrong. */
const differencesMax = 20

/** Lists walked at the same time. */
const walksAtOnce = 4

/** Walks the lists of the chosen subjects and compares with what is known; see `scope.ts`. */
export async function checkAnswers(
  get: Get,
  known: Knowledge,
  { busiest, others, round }: Choice & { readonly round: Round },
): Promise<Checked> {
  const subjects = subjectsOf(known)
  const chosen = <T extends string>(all: readonly T[], share: number) =>
    chosenFrom(all, { busiest, others: Math.round(others * share), seed: round.seed })
  const addresses = chosen(subjects.addresses, 0.5)
  const tokens = chosen(subjects.tokens, 0.25)
  const transactions = chosen(subjects.transactions, 0.25)
  const lists = [
    ...addresses.flatMap((one) => listsOfAddress(known, one.subject, one.isBusiest)),
    ...tokens.flatMap((one) => listsOfToken(known, one.subject, one.isBusiest)),
    ...transactions.flatMap((one) => listsOfTransaction(known, one.subject, one.isBusiest)),
  ].filter((list) => isDue(list, round))
  const differences = await inTurns([
    ...lists.map((list) => () => differencesOf(get, list, round)),
    ...tokens.map(
      ({ subject }) =>
        () =>
          tokenDifference(get, known, subject),
    ),
    ...addresses.map(
      ({ subject }) =>
        () =>
          arrayDifference(get, everyBalanceOf(known, subject)),
    ),
  ])
  const items = lists.reduce((sum, { facts }) => sum + facts.length, 0)
  return { differences, lists: lists.length, items }
}

async function inTurns(checks: readonly (() => Promise<string[]>)[]): Promise<string[]> {
  const differences: string[] = []
  const waiting = checks.values()
  const work = async () => {
    for (const check of waiting) {
      if (differences.length >= differencesMax) return
      differences.push(...(await check()))
    }
  }
  await Promise.all(Array.from({ length: walksAtOnce }, work))
  return differences.slice(0, differencesMax)
}

/** Endpoint 10. */
async function tokenDifference(
  get: Get,
  known: Knowledge,
  token: Parameters<typeof tokenOf>[1],
): Promise<string[]> {
  const { body } = await get(`/api/v2/tokens/${token}`)
  const [shown, expected] = [tokenFactOf(body), tokenOf(known, token)]
  if (isDeepStrictEqual(shown, expected)) return []
  return [`token ${token}: ${JSON.stringify(shown)} is not ${JSON.stringify(expected)}`]
}

/** Endpoint 3, which has no pages. */
async function arrayDifference(get: Get, list: BareList): Promise<string[]> {
  const { body } = await get(list.path)
  if (!Array.isArray(body)) return [`${list.path} is no array`]
  const difference = differenceOf(list, body.map(balanceFactOf))
  return difference === null ? [] : [`${list.path}: ${difference}`]
}
