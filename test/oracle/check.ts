import { isDeepStrictEqual } from 'node:util'
import { balanceFactOf, tokenFactOf } from './bodies.ts'
import { differenceOf, differencesOf } from './compare.ts'
import type { Knowledge } from './knowledge.ts'
import {
  type ExpectedList,
  everyBalanceOf,
  listsOfAddress,
  listsOfToken,
  listsOfTransaction,
} from './lists.ts'
import { tokenOf } from './lists-of-token.ts'
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
  readonly seed: number
}

/** Reports stop at so many differences: the first few tell what is wrong. */
const differencesMax = 20

/** Lists walked at the same time. */
const walksAtOnce = 4

/** Walks every list of the chosen subjects and compares with what is known. */
export async function checkAnswers(get: Get, known: Knowledge, choice: Choice): Promise<Checked> {
  const subjects = subjectsOf(known)
  const { busiest, seed } = choice
  const chosen = <T>(all: readonly T[], share: number) =>
    chosenFrom(all, { busiest, others: Math.round(choice.others * share), seed })
  const addresses = chosen(subjects.addresses, 0.5)
  const tokens = chosen(subjects.tokens, 0.25)
  const lists = [
    ...addresses.flatMap((address) => listsOfAddress(known, address)),
    ...tokens.flatMap((token) => listsOfToken(known, token)),
    ...chosen(subjects.transactions, 0.25).flatMap((hash) => listsOfTransaction(known, hash)),
  ]
  const differences: string[] = []
  const waiting = lists.values()
  const work = async () => {
    for (const list of waiting) {
      if (differences.length >= differencesMax) return
      differences.push(...(await differencesOf(get, list)))
    }
  }
  await Promise.all(Array.from({ length: walksAtOnce }, work))
  for (const token of tokens) differences.push(...(await tokenDifference(get, known, token)))
  for (const address of addresses) {
    differences.push(...(await arrayDifference(get, everyBalanceOf(known, address))))
  }
  const items = lists.reduce((sum, { facts }) => sum + facts.length, 0)
  return { differences: differences.slice(0, differencesMax), lists: lists.length, items }
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
async function arrayDifference(get: Get, list: ExpectedList): Promise<string[]> {
  const { body } = await get(list.path)
  if (!Array.isArray(body)) return [`${list.path} is no array`]
  const difference = differenceOf(list, body.map(balanceFactOf))
  return difference === null ? [] : [`${list.path}: ${difference}`]
}
