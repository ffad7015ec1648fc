import { expect, test } from 'vitest'
import { concatTemplates, splicedConfirmations, templateOf } from '../../response/splices.ts'
import { rendered } from './list-body.ts'

const all = Number.POSITIVE_INFINITY
const itemOf = (length: number) => (block: number) => ({
  text: 'ä'.repeat(length),
  at: splicedConfirmations(block),
})

// 128 KiB are encoded at once.
test.each([1, 100, 40_000, 100_000])(
  'items of %d characters are those of one text',
  async (length) => {
    const rows = [1, 2, 3, 4, 5]
    const item = itemOf(length)
    const { templates, count } = await rendered(rows, item, all)
    expect(count).toBe(5)
    const found = concatTemplates(templates)
    const wanted = templateOf(rows.map((row) => JSON.stringify(item(row))).join(','))
    expect(found.confirmations).toEqual(wanted.confirmations)
    // Not by toEqual, which takes seconds for a megabyte.
    expect(found.bytes.equals(wanted.bytes)).toBe(true)
  },
)

test('no rows are no text', async () => {
  expect(await rendered([], itemOf(1), all)).toEqual({ templates: [templateOf('')], count: 0 })
})

// Decision 56.
test('bytes bound the items, not characters, and the first one is there whatever it has', async () => {
  const item = (row: number) => `${row}ä`
  const bytesOfOne = '"1ä",'.length + 1
  expect(await rendered([1, 2, 3], item, bytesOfOne * 2)).toMatchObject({ count: 2 })
  expect(await rendered([1, 2, 3], item, bytesOfOne * 2 - 1)).toMatchObject({ count: 1 })
  expect(await rendered([1, 2, 3], item, 1)).toMatchObject({ count: 1 })
})
