import { expect, test } from 'vitest'
import { queryExports } from '../../../libs/queries/testing/declared-queries.ts'
import { questions } from '../testing/questions.ts'
import * as facts from './shared-rows.ts'

const isQuestion = (value: unknown): boolean =>
  typeof value === 'function' && 'subjects' in value && 'table' in value

test('specs know every question that is declared, by its name', () => {
  const exported = [...queryExports, ...Object.entries(facts)]
  const declared = new Map(exported.filter(([, value]) => isQuestion(value)))
  expect(declared.size).toBeGreaterThan(20)
  expect(new Map(Object.entries(questions))).toEqual(declared)
  for (const [name, question] of Object.entries(questions)) {
    expect(declared.get(name) === question, name).toBe(true)
  }
})
