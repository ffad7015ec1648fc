import { describe, expect, it } from 'vitest'
import { topics } from '../../../libs/topics/topics.ts'
import { jsonSchemaOf } from './topics.ts'

const schemaOf = (name: string) => {
  const topic = topics.find((each) => each.name === name)
  if (!topic) throw new Error(`no topic ${name}`)
  return jsonSchemaOf(topic)
}

/** Every schema in it that allows anything without a word. */
function silent(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const isSchema = /(?:^|properties\.[^.]+|items|anyOf\.\d+|oneOf\.\d+)$/.test(path)
  if (isSchema && Object.keys(schema).length === 0) return [path]
  return Object.entries(schema).flatMap(([key, inner]) =>
    silent(inner, path === '' ? key : `${path}.${key}`),
  )
}

describe('the JSON Schema of a topic', () => {
  it.each(topics.map(({ name }) => name))('%s describes every field', (name) => {
    expect(silent(schemaOf(name))).toEqual([])
    expect(schemaOf(name)).toMatchObject({ title: name })
  })

  it('describes the encoded form: amounts as decimal text, addresses in lower case', () => {
    const text = JSON.stringify(schemaOf('blocks'))
    expect(text).toContain('^0x[0-9a-f]{40}$')
    expect(text).toContain('^(?:0|[1-9][0-9]{0,77})$')
    expect(text).toContain('"const":"block.reverted"')
  })
})
