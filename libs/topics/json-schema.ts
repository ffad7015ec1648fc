import { z } from 'zod'
import { addressText, hashText, hexText, selectorText, shallowJson } from './quantities.ts'
import type { Topic } from './topics.ts'

type JsonSchema = z.core.JSONSchema.BaseSchema

/** What our own checks mean, in words that JSON Schema has. */
const ownForms = new Map<unknown, JsonSchema>([
  [addressText, { type: 'string', pattern: '^0x[0-9a-f]{40}$' }],
  [hashText, { type: 'string', pattern: '^0x[0-9a-f]{64}$' }],
  [hexText, { type: 'string', pattern: '^0x(?:[0-9a-f]{2})*$' }],
  [selectorText, { type: 'string', pattern: '^0x(?:[0-9a-f]{8}|[0-9a-f]{64})$' }],
  [shallowJson, { description: 'any JSON of at most 64 levels' }],
])

/**
 * A topic's message as JSON Schema (draft 2020-12), for those who publish it by a pipeline of
 * their own. What relates fields to each other (ascending indexes, bounds of products) and amounts
 * above 2^256-1 only the program itself refuses.
 */
export function jsonSchemaOf({ name, key, schema }: Topic): JsonSchema {
  const printed = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, ownForms.get(zodSchema))
    },
  })
  const description = `A message of topic ${name}: JSON as UTF-8. The key is ${key}.`
  return { title: name, description, ...printed }
}
