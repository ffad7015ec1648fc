import { expect, it } from 'vitest'
import type { Store } from '../../libs/ports/store.ts'
import { assertFirstPage, checkedLists } from './naive-first-page.ts'

const keys = ['10:3', '9:1']

const unused = () => Promise.reject(new Error('not used'))

/** Answers every query with the keys of the naive statement, as one string of RowBinary. */
const store: Store = {
  insert: unused,
  execute: unused,
  ping: unused,
  close: unused,
  async query() {
    const text = Buffer.from(Buffer.from(JSON.stringify(keys)).toString('base64'))
    return Buffer.concat([Buffer.from([text.length]), text])
  },
}

const check = (items: readonly object[]) =>
  assertFirstPage(store, checkedLists.transfersOfToken, {
    subject: '0x00',
    body: Buffer.from(JSON.stringify({ items })),
  })

const [first, second] = [
  { block_number: 10, log_index: 3 },
  { block_number: 9, log_index: 1 },
]

it('accepts the page that the naive statement computes', () => check([first, second]))

it.each([
  ['another order', [second, first]],
  ['an item less', [first]],
  ['an item more', [first, second, second]],
  ['another item', [first, { ...second, log_index: 2 }]],
])('refuses a page with %s', async (_, items) => {
  await expect(check(items)).rejects.toThrow('instead of 10:3, 9:1')
})
