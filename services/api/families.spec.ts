import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { position } from '../../libs/chain/position.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { blocksMessage } from '../../libs/topics/blocks.ts'
import { coveredBy } from './families.ts'

const file = new URL('../../libs/topics/examples/blocks.json', import.meta.url)
const messages = z.array(blocksMessage).parse(JSON.parse(readFileSync(file, 'utf8')))

/** Subjects of the rows of each table that a message makes. */
function movedBy(message: (typeof messages)[number]): Map<string, Set<string>> {
  const moved = new Map<string, Set<string>>()
  const rows = [...ledger.rows(message, [], position(message.sequence))].flat()
  for (const { table, row } of rows) {
    const subjects = moved.get(table.name) ?? new Set<string>()
    moved.set(table.name, subjects.add(String(Reflect.get(row, Object.keys(table.key)[0] ?? ''))))
  }
  return moved
}

test.each(Object.entries(coveredBy))('%s never moves without %s', (narrow, wide) => {
  const moves = messages.map(movedBy).filter((moved) => moved.has(narrow))
  expect(moves.length).toBeGreaterThan(1)
  for (const moved of moves) {
    const subjects = [...(moved.get(narrow) ?? [])]
    expect(subjects.filter((subject) => moved.get(wide)?.has(subject) !== true)).toEqual([])
  }
})
