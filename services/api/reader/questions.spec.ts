import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { questions } from '../testing/questions.ts'

const folders = ['../../../libs/queries/', './'].map((path) => new URL(path, import.meta.url))

const isQuestion = (value: unknown): boolean =>
  typeof value === 'function' && 'subjects' in value && 'table' in value

/** Questions by name: exports of the folders that declare some. */
async function declaredQuestions(): Promise<Map<string, unknown>> {
  const declared = new Map<string, unknown>()
  for (const folder of folders) {
    for (const file of readdirSync(folder)) {
      if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue
      const exported: object = await import(new URL(file, folder).href)
      for (const [name, value] of Object.entries(exported)) {
        if (isQuestion(value)) declared.set(name, value)
      }
    }
  }
  return declared
}

test('specs know every question that is declared, by its name', async () => {
  const declared = await declaredQuestions()
  expect(declared.size).toBeGreaterThan(20)
  expect(new Map(Object.entries(questions))).toEqual(declared)
  for (const [name, question] of Object.entries(questions)) {
    expect(declared.get(name) === question, name).toBe(true)
  }
})
