import { expect, test } from 'vitest'
import type { AuditOutcome, Finding, PageLook } from './finding.ts'
import { type SettleOptions, settled } from './settle.ts'

const options: SettleOptions = {
  signal: new AbortController().signal,
  inTurn: (one) => one(),
  wait: async () => {},
}

const finding = (field: string, outcome: AuditOutcome): Finding => ({
  ...{ kind: 'words', standard: null, path: '/p', field, block: 1, shown: 'a', told: 'b', outcome },
})
const look = (...findings: readonly Finding[]): PageLook => ({ findings, failure: null })
const failed = (side: 'moved' | 'node'): PageLook => ({
  ...{ findings: [], failure: { side, reason: 'r', path: '/p' } },
})

async function outcomeOf(...looks: readonly PageLook[]) {
  let asked = 0
  const last = await settled(async () => {
    const next = looks[Math.min(asked++, looks.length - 1)]
    if (next === undefined) throw new Error('no look')
    return next
  }, options)
  return { asked, outcomes: last.findings.map(({ outcome }) => outcome), failure: last.failure }
}

test('what is equal is looked at once', async () => {
  expect(await outcomeOf(look(finding('x', 'equal')))).toMatchObject({ asked: 1 })
  expect(await outcomeOf(look(finding('x', 'unknown')))).toMatchObject({ asked: 1 })
})

test('what differs at each of three looks differs', async () => {
  expect(await outcomeOf(look(finding('x', 'differing')))).toMatchObject({
    ...{ asked: 3, outcomes: ['differing'] },
  })
})

test('with more pauses there are as many looks more, each after its own', async () => {
  const waited: number[] = []
  const wait = async (ms: number) => void waited.push(ms)
  const differing = async () => look(finding('x', 'differing'))
  await settled(differing, { ...options, pausesMs: [1, 2, 4], wait })
  await settled(differing, { ...options, wait })
  expect(waited).toEqual([1, 2, 4, 1_000, 1_000])
})

test('what differs at the first look only has moved', async () => {
  const looks = [look(finding('x', 'differing')), look(finding('x', 'equal'))]
  expect(await outcomeOf(...looks)).toMatchObject({ asked: 2, outcomes: ['moved'] })
})

test('two values that differ in turn have moved, both', async () => {
  const looks = [
    look(finding('x', 'differing'), finding('y', 'equal')),
    look(finding('x', 'equal'), finding('y', 'differing')),
  ]
  expect((await outcomeOf(...looks)).outcomes).toEqual(['moved', 'moved'])
})

test('a chain that moved is looked at again; a node that failed is not', async () => {
  expect(await outcomeOf(failed('moved'), look(finding('x', 'equal')))).toEqual({
    ...{ asked: 2, outcomes: ['equal'], failure: null },
  })
  expect(await outcomeOf(failed('node'))).toMatchObject({ asked: 1, failure: { side: 'node' } })
  expect(await outcomeOf(failed('moved'))).toMatchObject({ asked: 3, failure: { side: 'moved' } })
})

test('what differs once and cannot be looked at again has moved, and says why', async () => {
  expect(await outcomeOf(look(finding('x', 'differing')), failed('node'))).toMatchObject({
    ...{ asked: 3, outcomes: ['moved'], failure: { side: 'node' } },
  })
})

test('what moved keeps the values that differed', async () => {
  const looks = [
    look({ ...finding('x', 'differing'), shown: 'old' }, finding('y', 'differing')),
    look({ ...finding('x', 'equal'), shown: 'new' }, finding('y', 'differing')),
  ]
  const asked = [...looks, ...looks.slice(1)]
  const last = await settled(async () => asked.shift() ?? look(), options)
  expect(last.findings.map(({ field, shown, outcome }) => [field, shown, outcome])).toEqual([
    ['y', 'a', 'differing'],
    ['x', 'old', 'moved'],
  ])
})

test('a look that fails leaves what the one before had found', async () => {
  const looks = [look(finding('x', 'differing')), failed('node'), look(finding('x', 'differing'))]
  expect(await outcomeOf(...looks)).toMatchObject({ asked: 3, outcomes: ['differing'] })
})
