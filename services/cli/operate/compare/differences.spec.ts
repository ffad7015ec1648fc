import { describe, expect, test } from 'vitest'
import { fieldsThatDiffer, itemsThatDiffer } from './differences.ts'

describe('fields that differ', () => {
  const differing = (here: unknown, there: unknown) => [...fieldsThatDiffer(here, there)]

  test('are named down to the last name', () => {
    const here = { a: { b: 1, same: 'x' }, list: [{ c: '1' }, { c: '2' }] }
    const there = { a: { b: 2, same: 'x' }, list: [{ c: '1' }, { c: '3' }] }
    expect(differing(here, there)).toEqual([
      { field: 'a.b', here: 1, there: 2 },
      { field: 'list[].c', here: '2', there: '3' },
    ])
  })

  test('are missing ones and other types, too', () => {
    expect(differing({ a: 1, b: [1], c: null }, { a: '1', b: null, d: 0 })).toEqual([
      { field: 'a', here: 1, there: '1' },
      { field: 'b', here: [1], there: null },
      { field: 'c', here: null, there: undefined },
      { field: 'd', here: undefined, there: 0 },
    ])
  })

  test('are none where keys only stand in another order', () => {
    expect(differing({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([])
  })
})

describe('items that differ', () => {
  const holder = (name: string, value = '1') => ({ address: { hash: name }, token_id: null, value })
  const listed = (items: unknown[], hasMore = false) => ({ items, hasMore })
  const [a, b, c, d] = ['0xA', '0xB', '0xC', '0xD'].map((name) => holder(name))

  test('are compared with those of the same identity, and named by it', () => {
    const found = itemsThatDiffer(listed([a, holder('0xB', '5'), c]), listed([a, b, c]))
    expect([...found]).toEqual([{ field: 'items[].value', item: '0xb', here: '5', there: '1' }])
  })

  test('are those of one side, without all that follow', () => {
    expect([...itemsThatDiffer(listed([a, c]), listed([a, b, c, d]))]).toEqual([
      { field: 'items[]', item: '0xb', here: undefined, there: b },
      { field: 'items[]', item: '0xd', here: undefined, there: d },
    ])
  })

  test('are not those beyond what the other side was asked for', () => {
    expect([...itemsThatDiffer(listed([a, b], true), listed([a, b, c, d], true))]).toEqual([])
    expect([...itemsThatDiffer(listed([a, b], true), listed([a, b, c]))]).toEqual([])
    expect([...itemsThatDiffer(listed([a, b, c]), listed([a, b], true))]).toEqual([])
  })

  test('are a list that goes on where the other ends', () => {
    expect([...itemsThatDiffer(listed([a], true), listed([a]))]).toEqual([
      { field: 'next_page_params', item: null, here: 'a further page', there: 'the end' },
    ])
  })

  test('are another order, once, and still the fields', () => {
    const other = holder('0xA', '7')
    expect([...itemsThatDiffer(listed([a, b, c]), listed([c, b, other]))]).toEqual([
      { field: 'order of items[]', item: null, here: '0xa', there: '0xc' },
      { field: 'items[].value', item: '0xa', here: '1', there: '7' },
    ])
  })

  test.each([
    ['a transaction', { hash: '0xAB', n: 1 }, '0xab'],
    ['a log', { transaction_hash: '0xAB', index: 3, address: { hash: '0x1' }, n: 1 }, '0xab 3'],
    [
      'an item of a batch',
      { transaction_hash: '0xab', log_index: 3, total: { token_id: '9' }, n: 1 },
      '0xab 3 9',
    ],
    ['a balance', { token: { address_hash: '0xT' }, token_id: null, n: 1 }, '0xt'],
    ['an NFT', { token: { address_hash: '0xT' }, id: '4', n: 1 }, '0xt 4'],
  ])('name %s', (_, item, name) => {
    const found = [...itemsThatDiffer(listed([item]), listed([{ ...item, n: 2 }]))]
    expect(found).toEqual([{ field: 'items[].n', item: name, here: 1, there: 2 }])
  })
})
