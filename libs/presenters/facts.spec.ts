import { expect, test } from 'vitest'
import { position } from '../chain/position.ts'
import { addressFactsOf, tokenFactsOf } from './facts.ts'
import { anAddress } from './testing/rows.ts'

const address = anAddress(0xa1)
const version = { position: position(1), isDeleted: 0 }
const tag = { slug: 'x', name: 'X', tagType: 'name', ordinal: 1, meta: {} }

test('takes the newest words or tags, and a mark of a scam from whoever knows of it', () => {
  const token = anAddress(0x70)
  const marked = { kind: 'correction', fact: '{"name":"A","symbol":"AA","isScam":true}' }
  const words = { kind: 'words', fact: '{"name":"B"}' }
  const rowsOf = (...facts: (typeof words)[]) =>
    facts.map((fact, at) => ({ token, ...fact, ...version, position: position(at + 1) }))
  for (const rows of [rowsOf(marked, words), rowsOf(marked, words).toReversed()]) {
    expect(tokenFactsOf(rows)).toMatchObject({ name: 'B', symbol: null, isScam: true })
  }
  expect(tokenFactsOf(rowsOf(words, marked))).toMatchObject({ name: 'A', isScam: true })
  const labels = [
    { address, kind: 'tags', fact: '{"tags":[]}', ...version, position: position(2) },
    { address, kind: 'label', fact: JSON.stringify({ tags: [tag], isScam: true }), ...version },
  ]
  expect(addressFactsOf(labels)).toMatchObject({ tags: [], isScam: true })
})
