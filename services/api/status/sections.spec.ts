import { expect, test } from 'vitest'
import { position } from '../../../libs/chain/position.ts'
import { type StatusInputs, statusSections } from './sections.ts'

const group = (name: 'ledger' | 'state' | 'dimensions') => ({
  ...{ group: name, block: 7, time: 12, knownFrom: 3 },
  position: position(9),
})

const inputs = (changes: Partial<StatusInputs> = {}): StatusInputs => ({
  ...{ now: 5_000, version: '1.2.3', chainId: 31_337, hasRedis: false },
  ...{ head: null, groups: [], newest: [], recent: null, examples: [] },
  audit: null,
  tables: { sizes: null, problem: null, transfersPerSecond: null },
  ...changes,
})

test('a process that has just started has all sections, and no number that it does not know', () => {
  expect(statusSections(inputs())).toEqual({
    at: 5_000,
    chain: { id: 31_337, version: '1.2.3' },
    head: null,
    groups: [],
    blocks: [],
    rates: {
      ...{ seconds: 0, blocks: null, transfers: null, requests: null },
      ...{ measured: 0, p50: null, p99: null, measuredMax: 0 },
    },
    reads: { process: 0, clickhouse: 0 },
    series: { blocks: [], requests: [] },
    tables: { problem: null, sizes: [] },
    examples: [],
    audit: null,
  })
})

test('groups come in one order, and show no more than how far they are', () => {
  const groups = [group('dimensions'), group('state'), group('ledger')]
  const shown = { position: 9, block: 7, time: 12 }
  expect(statusSections(inputs({ groups })).groups).toEqual([
    { group: 'ledger', ...shown },
    { group: 'state', ...shown },
    { group: 'dimensions', ...shown },
  ])
})

test('shows Redis where there is one', () => {
  const pages = { process: 3, redis: 2, clickhouse: 1 }
  const durations = { measured: 6, p50: 0.001, p99: null, measuredMax: 5 }
  const series = { blocks: [1], requests: [2] }
  const rates = { seconds: 300, blocksPerSecond: 1, requestsPerSecond: 2 }
  const recent = { ...rates, pages, durations, series }
  expect(statusSections(inputs({ recent })).reads).toEqual({ process: 3, clickhouse: 1 })
  const shown = statusSections(inputs({ recent, hasRedis: true }))
  expect(shown.reads).toEqual(pages)
  expect(shown.rates).toEqual({
    ...{ seconds: 300, blocks: 1, transfers: null, requests: 2 },
    ...durations,
  })
})

const difference = (field: string, text = '1') => ({
  ...{ path: '/api/v2/tokens/0x1', field, block: 7, shown: text, told: null },
})

test('what differs from the node is bounded, whatever texts contracts have', () => {
  const row = { kind: 'words', standard: 'ERC-20', checked: 12, equal: 0, differing: 12 }
  const audit = {
    ...{ at: 4_000, checked: 12, equal: 0, differing: 12, unknown: 0 },
    rows: [{ ...row, coverage: 0, unanswered: 3 }],
    differences: Array.from({ length: 12 }, (_, at) => difference(`${at}`, '<b>'.repeat(100))),
  }
  const shown = statusSections(inputs({ audit })).audit
  expect(shown).toMatchObject({ at: 4_000, checked: 12, differing: 12, unknown: 0 })
  expect(shown?.rows).toEqual([{ ...row, coverage: 0 }])
  expect(shown?.differences.map(({ field }) => field)).toEqual([...'0123456789'])
  expect(shown?.differences.map((one) => one.shown?.length)).toEqual(Array(10).fill(202))
  expect(shown?.differences.map(({ told }) => told)).toEqual(Array(10).fill(null))
  expect(shown?.differences[0]?.shown?.startsWith('<b><b>')).toBe(true)
})
