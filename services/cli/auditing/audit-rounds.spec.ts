import { expect, test } from 'vitest'
import { SourceError } from '../../../libs/ports/chain-source.ts'
import { events } from '../../../libs/signals/events.ts'
import { type LogFields, silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { auditSample } from '../operate/audit/audit-sample.ts'
import type { PageLook } from '../operate/audit/finding.ts'
import { blockNumber, coin, foldscan, nodeOf } from '../operate/audit/testing/audited-world.ts'
import { AuditFigures } from './audit-figures.ts'
import { auditRounds } from './audit-rounds.ts'

type OnLook = (look: PageLook) => void

/** Rounds, of which the nth does what `round` says; the loop is stopped before one more. */
async function ran(rounds: readonly ((onLook: OnLook) => ReturnType<typeof auditSample>)[]) {
  const lines: { fields: LogFields; sentence: string | undefined }[] = []
  const stopping = new AbortController()
  const figures = new AuditFigures(startMetrics())
  const shown: (typeof figures.shown)[] = []
  let begun = 0
  await auditRounds({
    ...{ figures, signal: stopping.signal, pauseMs: 0, now: () => begun * 1_000 },
    log: { ...silentLog, warn: (fields, sentence) => void lines.push({ fields, sentence }) },
    round(onLook) {
      shown.push(figures.shown)
      const round = rounds[begun]
      begun += 1
      if (round !== undefined) return round(onLook)
      stopping.abort()
      return Promise.reject(new Error('stopped'))
    },
  })
  // Of each round, what was shown when the next one began.
  return { lines, shown: shown.slice(1), begun }
}

const { signal } = new AbortController()
const audited = (changed: Parameters<typeof foldscan>[0]) => (onLook: OnLook) =>
  auditSample({
    ...{ api: foldscan(changed), node: nodeOf(), signal, indexed: blockNumber, sample: 10 },
    ...{ token: null, seed: 3, timeMs: 60_000, wait: async () => {}, onLook },
    coinEmitters: new Set<string>(),
  })
const well = audited({})
const lie = audited({ [`/api/v2/tokens/${coin}`]: (body) => body.replace('"Coin"', '"Koin"') })
const failing = (error: Error) => () => Promise.reject(error)

test('each round is shown when it has ended, and so is what differs', async () => {
  const { shown, lines } = await ran([well, lie, well])
  expect(shown.map(({ at, differing }) => [at, differing])).toEqual([
    [1_000, 0],
    [2_000, 1],
    [3_000, 0],
  ])
  expect(shown[0]?.checked).toBeGreaterThan(20)
  expect(shown[1]?.differences).toMatchObject([{ field: 'name', shown: 'Koin', told: 'Coin' }])
  expect(lines.map(({ fields }) => fields.event)).toEqual([events.audit.differs])
  expect(lines[0]?.sentence).toContain(`name of /api/v2/tokens/${coin}`)
})

test('a failed round is warned of once for each kind, keeps the figures, and ends nothing', async () => {
  const away = failing(
    new SourceError('unreachable', 'no answer from http://u:secret@node.test/key'),
  )
  const slow = failing(new SourceError('timed-out', 'late'))
  const other = failing(new StartupError('another chain'))
  const { shown, lines, begun } = await ran([lie, away, away, slow, other, other, well, away])
  expect(begun).toBe(9)
  expect(shown.map(({ at, differing }) => [at, differing])).toEqual([
    ...Array(6).fill([1_000, 1]),
    ...Array(2).fill([7_000, 0]),
  ])
  const failed = lines.filter(({ fields }) => fields.event === events.audit.failed)
  expect(failed.map(({ sentence }) => /No answer|Late|chain/.exec(`${sentence}`)?.[0])).toEqual([
    ...['No answer', 'Late', 'chain', 'No answer'],
  ])
  expect(JSON.stringify(lines)).not.toContain('secret')
})

test('a round that could compare nothing has failed', async () => {
  const silent = async (onLook: OnLook) =>
    auditSample({
      ...{ api: foldscan(), signal, indexed: blockNumber, sample: 10, token: null, seed: 3 },
      ...{ timeMs: 60_000, wait: async () => {}, onLook, coinEmitters: new Set<string>() },
      node: nodeOf({}, { block: failing(new SourceError('unreachable', 'refused')) }),
    })
  const { shown, lines } = await ran([lie, silent])
  expect(shown.map(({ at, differing }) => [at, differing])).toEqual(Array(2).fill([1_000, 1]))
  expect(lines.at(-1)?.sentence).toContain('Node: refused')
})

test('a stop ends it at once, while a round waits for its node', async () => {
  const stopping = new AbortController()
  const figures = new AuditFigures(startMetrics())
  let late: OnLook = () => {}
  const rounds = auditRounds({
    ...{ figures, log: silentLog, signal: stopping.signal, pauseMs: 3_600_000 },
    round: (onLook) => {
      late = onLook
      return new Promise(() => {})
    },
  })
  stopping.abort()
  await rounds
  late({
    failure: null,
    findings: [
      {
        ...{ kind: 'words', standard: null, path: '/', field: 'name', block: 1 },
        ...{ shown: 'a', told: 'b', outcome: 'differing' },
      },
    ],
  })
  expect(figures.shown).toMatchObject({ at: null, differing: 0 })
})
