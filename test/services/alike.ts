import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Question } from './questions.ts'

/** What was seen, so that a test can tell that it saw anything. */
export interface Alike {
  readonly differences: readonly string[]
  readonly answers: number
  /** Pages after the first, reached by the cursor of the page before. */
  readonly laterPages: number
}

const pagesMax = 3
const walksAtOnce = 4
/** The first few tell what is wrong. */
const differencesMax = 10
const beforeChars = 150
const afterChars = 60

/** Of this one question and this one connection; all other headers have to be alike. */
const passing: ReadonlySet<string> = new Set(['x-request-id', 'date', 'connection', 'keep-alive'])

/**
 * Asks everybody the same questions, and for the next pages by the cursors that the first one
 * gives. Alike is: status, all headers that are not of one question, and every byte; and a
 * client with the first one's ETag receives 304 from all.
 */
export async function alike(
  origins: readonly string[],
  questions: readonly Question[],
): Promise<Alike> {
  const differences: string[] = []
  const seen = { differences, answers: 0, laterPages: 0 }
  const waiting = questions.values()
  const walk = async () => {
    for (const { path, parameters } of waiting) {
      let asked: string | null = `${path}?${new URLSearchParams(parameters)}`
      for (let page = 0; asked !== null && page < pagesMax; page++) {
        if (differences.length >= differencesMax) return
        const [first = nothing, ...rest] = await everybody(origins, asked)
        seen.answers += 1
        if (page > 0) seen.laterPages += 1
        for (const one of rest) {
          const difference = differenceOf(first, one)
          if (difference !== null) differences.push(`${asked}: ${difference}`)
        }
        asked = nextOf(path, parameters, first)
      }
    }
  }
  await Promise.all(Array.from({ length: walksAtOnce }, walk))
  return seen
}

interface Answer {
  /** Its status, and its headers. */
  readonly head: readonly string[]
  readonly body: string
  readonly again: number | null
  /** Null unless it is unavailable. */
  readonly retryAfterSeconds: number | null
}

const nothing: Answer = { head: [], body: '', again: null, retryAfterSeconds: null }

/** Times that all are asked again while one answers 503, as a busy machine may. */
const repeatedMax = 20

/** All again while one is unavailable, after the time that it names, as its clients have to. */
async function everybody(origins: readonly string[], asked: string): Promise<Answer[]> {
  for (let times = 0; ; times++) {
    const answers = await everybodyOnce(origins, asked)
    const waits = answers.map(({ retryAfterSeconds }) => retryAfterSeconds)
    const longest = Math.max(...waits.map((seconds) => seconds ?? -1))
    if (longest < 0 || times === repeatedMax) return answers
    await pause(longest * 1_000)
  }
}

/** At once: a block may come in between two questions, not between one. */
async function everybodyOnce(origins: readonly string[], asked: string): Promise<Answer[]> {
  const answers = await Promise.all(origins.map((origin) => fetch(origin + asked)))
  const etag = answers[0]?.headers.get('etag') ?? null
  return Promise.all(
    answers.map(async (answer, at) => {
      const kept = [...answer.headers].filter(([name]) => !passing.has(name))
      const head = [`${answer.status}`, ...kept.map(([name, value]) => `${name}: ${value}`)]
      const body = await answer.text()
      const again = etag === null ? null : await answerWith(`${origins[at]}${asked}`, etag)
      const retryAfterSeconds = retryAfterOf(answer) ?? (again && retryAfterOf(again))
      return { head, body, again: again?.status ?? null, retryAfterSeconds }
    }),
  )
}

/** Null for an answer that is not 503. */
const retryAfterOf = ({ status, headers }: Response): number | null =>
  status === 503 ? Number(headers.get('retry-after') ?? 0) : null

async function answerWith(url: string, etag: string): Promise<Response> {
  const answer = await fetch(url, { headers: { 'if-none-match': etag } })
  await answer.arrayBuffer()
  return answer
}

function differenceOf(one: Answer, other: Answer): string | null {
  if (one.body !== other.body) {
    const at = [...one.body].findIndex((character, n) => character !== other.body[n])
    const shown = ({ body }: Answer) => body.slice(Math.max(0, at - beforeChars), at + afterChars)
    return `at ${at}: ${shown(other)} is not ${shown(one)}`
  }
  const strange = other.head.filter((header) => !one.head.includes(header))
  const missing = one.head.filter((header) => !other.head.includes(header))
  if (strange.length + missing.length > 0) return `${strange} instead of ${missing}`
  return one.again === other.again ? null : `${other.again} is not ${one.again}, with the same ETag`
}

const page = z.object({
  next_page_params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})

function nextOf(path: string, parameters: Question['parameters'], answer: Answer): string | null {
  const said = page.safeParse(parsed(answer.body))
  if (!said.success) return null
  const cursor = Object.entries(said.data.next_page_params).map(([key, value]) => [key, `${value}`])
  return `${path}?${new URLSearchParams({ ...parameters, ...Object.fromEntries(cursor) })}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
