import { expect, test } from 'vitest'
import type { Hex } from '../../chain/hex.ts'
import type { Store } from '../../ports/store.ts'
import type { BatchReader } from './batch.ts'
import { firstPages, pageFromStart } from './first-pages.ts'

interface Line {
  readonly subject: Hex
  readonly text: string
}

const unused = () => Promise.reject(new Error('not used here'))
const store: Store = { query: unused, insert: unused, execute: unused, ping: unused, close: unused }
const reader: BatchReader = {
  read: async (work) => ({ result: await work(store, {}), isBehind: false }),
}

/** A list whose rows are these. */
function listOf(lines: readonly Line[]) {
  const asked: unknown[] = []
  const list = firstPages({
    subjectOf: ({ subject }: { subject: Hex; limit: number }) => subject,
    query: {
      table: { name: 'lines', columns: new Map(), granularity: 256 },
      async run(_store, { subjects }, limits) {
        asked.push(limits)
        return lines.filter(({ subject }) => `${subjects}`.includes(subject.slice(2)))
      },
    },
    subjectOfRow: (row: Line) => row.subject,
    rowsMax: 4,
    lengthOf: ({ text }) => text.length,
    firstRowsOf: (rows) => ({ rows, isWhole: rows.length < 4 }),
    pageOf: pageFromStart,
  })
  const pageOf = async (subject: Hex, limit: number) =>
    (await list.run(reader, { subject, limit }, undefined))?.result ?? 'alone'
  return { pageOf, asked }
}

const short = (text: string): Line => ({ subject: '0xaa', text })

test('a whole list makes a page of any length, another one no more than its first rows', async () => {
  const lines = [short('1'), short('2'), short('3')]
  expect(await listOf(lines).pageOf('0xaa', 2)).toHaveLength(2)
  expect(await listOf(lines).pageOf('0xaa', 50)).toHaveLength(3)
  expect(await listOf(lines).pageOf('0xbb', 50)).toEqual([])
  expect(await listOf([...lines, short('4')]).pageOf('0xaa', 4)).toHaveLength(4)
  expect(await listOf([...lines, short('4')]).pageOf('0xaa', 5)).toBe('alone')
})

test('a subject with long texts is read alone from then on, and others are not', async () => {
  const long = { subject: '0xbb', text: 'x'.repeat(256 * 1024 + 1) } as const
  const { pageOf, asked } = listOf([short('1'), long])
  const both = [pageOf('0xaa', 1), pageOf('0xbb', 1)]
  expect(await Promise.all(both)).toEqual([[short('1')], 'alone'])
  expect(await pageOf('0xbb', 1)).toBe('alone')
  expect(asked).toEqual([{ rowsReadMax: 16_384 + 2 * 4_096 }])
})
