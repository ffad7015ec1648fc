import { validate } from '@hyperjump/json-schema/openapi-3-1'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { aBalance, anAddress, aToken, aTransaction } from '../../../libs/presenters/testing/rows.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const person = anAddress(0xa1)
const transactions = `/api/v2/addresses/${person}/transactions`
const balances = `/api/v2/addresses/${person}/token-balances`
const answers: Answers = {
  transactionsOfAddress: async () => [aTransaction({ gasLimit: 21_000n })],
  allBalancesOfAddress: async () => [aBalance()],
  tokenStates: async (tokens) =>
    new Map(tokens.map((token) => [token, aToken({ token, holdersCount: 7 })])),
}
const asks = { headers: { accept: '*/*' } }

/** What an API answers, started with or without `--published-types`. */
async function answered(publishedTypes: boolean, cache = memoryCache({ bytesMax: 1_000_000 })) {
  const { ask, announce } = testApi(answers, { publishedTypes, cache })
  announce('ledger', 1)
  announce('state', 1)
  const bodyAt = async (path: string) => bodyOf(await ask(path, asks))
  return {
    text: (await ask('/api/v2/openapi.json', asks)).body.toString(),
    document: z.record(z.string(), z.json()).parse(await bodyAt('/api/v2/openapi.json')),
    transactions: await bodyAt(transactions),
    balances: await bodyAt(balances),
  }
}

/** Every object of a document with its path, the document itself first. */
function* objectsIn(value: unknown, path = '#'): Generator<[string, object]> {
  if (value === null || typeof value !== 'object') return
  yield [path, value]
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${key}`)
}

const node = z.looseObject({ description: z.unknown().optional() })
const nodes = z.record(z.string(), node)
const operation = z.looseObject({
  description: z.unknown().optional(),
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.looseObject({ name: z.string(), description: z.unknown().optional() })),
  responses: z.record(z.string(), z.looseObject({ $ref: z.string().optional() })),
})
const parsed = z.looseObject({
  tags: z.array(z.looseObject({ name: z.string(), description: z.unknown().optional() })),
  paths: z.record(z.string(), z.looseObject({ get: operation })),
  components: z.looseObject({
    schemas: nodes,
    headers: nodes,
    securitySchemes: nodes,
    responses: z.record(
      z.string(),
      z.looseObject({ headers: nodes, content: z.unknown().optional() }),
    ),
  }),
})

/** Everything that readers and generators show a description of, by its path. */
function* describable(document: unknown): Generator<[string, z.output<typeof node>]> {
  const { paths, components, tags } = parsed.parse(document)
  for (const tag of tags) yield [`tag ${tag.name}`, tag]
  for (const [path, { get }] of Object.entries(paths)) {
    yield [path, get]
    for (const parameter of get.parameters) yield [`${path} ${parameter.name}`, parameter]
    for (const [status, answer] of Object.entries(get.responses)) {
      if (answer.$ref === undefined) yield [`${path} ${status}`, answer]
    }
  }
  const { schemas, headers, responses, securitySchemes } = components
  for (const kind of [schemas, headers, responses, securitySchemes]) yield* Object.entries(kind)
  for (const [path, at] of objectsIn(schemas)) {
    if (Array.isArray(at)) continue
    const { properties } = z.looseObject({ properties: nodes.optional() }).parse(at)
    for (const [name, property] of Object.entries(properties ?? {})) {
      yield [`${path}/${name}`, property]
    }
  }
}

/** The names of the schemas that each schema refers to. */
function references(document: object): Map<string, string[]> {
  const schemas = Reflect.get(Reflect.get(document, 'components'), 'schemas')
  return new Map(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      [...objectsIn(schema)].flatMap(([, { $ref }]: [string, { $ref?: unknown }]) =>
        typeof $ref === 'string' ? [$ref.slice('#/components/schemas/'.length)] : [],
      ),
    ]),
  )
}

function reachable(graph: Map<string, string[]>, from: string): Set<string> {
  const found = new Set<string>()
  const next = [...(graph.get(from) ?? [])]
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (found.has(name)) continue
    found.add(name)
    next.push(...(graph.get(name) ?? []))
  }
  return found
}

describe.each([false, true])('openapi.json, with published types %s', (publishedTypes) => {
  it('is valid by the meta-schema of OpenAPI 3.1 and of JSON Schema 2020-12', async () => {
    const { document } = await answered(publishedTypes)
    const base = 'https://spec.openapis.org/oas/3.1/schema-base'
    expect(await validate(base, document, 'BASIC')).toEqual({ valid: true })
  })

  it('has the exact bound of integers, which JSON.parse rounds', async () => {
    const { text } = await answered(publishedTypes)
    const bounds = text.match(/(?<="maximum":)9\d{18}/g)
    expect(bounds?.length).toBeGreaterThan(10)
    expect(new Set(bounds)).toEqual(new Set(['9223372036854775807']))
  })

  it('has no tuples, and no schema that refers to itself: generators of clients fail', async () => {
    const { document } = await answered(publishedTypes)
    const tuples = [...objectsIn(document)].filter(
      ([, at]) => 'prefixItems' in at || ('items' in at && typeof at.items === 'boolean'),
    )
    expect(tuples.map(([path]) => path)).toEqual([])
    const graph = references(document)
    expect(graph.size).toBeGreaterThan(20)
    for (const name of graph.keys()) expect([...reachable(graph, name)]).not.toContain(name)
  })

  it('has only properties that generators can name, and no union of several types', async () => {
    const { document } = await answered(publishedTypes)
    const named = [...objectsIn(document)].flatMap(([path, at]) =>
      'properties' in at ? Object.keys(Object(at.properties)).map((name) => [path, name]) : [],
    )
    expect(named.length).toBeGreaterThan(200)
    expect(named.filter(([, name = '']) => !/^\w+$/.test(name))).toEqual([])
    const unions = [...objectsIn(document)].filter(
      ([, at]) => 'type' in at && Array.isArray(at.type) && at.type.length > 2,
    )
    expect(unions.map(([path]) => path)).toEqual([])
  })

  it('has no patterns of names, which break types, and none too deep for Rust', async () => {
    const { document } = await answered(publishedTypes)
    const schemas = [...objectsIn(document)]
    expect(schemas.filter(([, at]) => 'patternProperties' in at)).toEqual([])
    expect(JSON.stringify(document)).toContain('Also has `indexed?`: The same as indexed')
    const patterns = schemas.flatMap(([, at]) =>
      'pattern' in at && typeof at.pattern === 'string' ? [at.pattern] : [],
    )
    expect(patterns.length).toBeGreaterThan(5)
    for (const pattern of patterns) expect(pattern).not.toMatch(/(?:\([^)]*){8}/)
  })

  it('describes every operation, parameter, answer, header, schema and property', async () => {
    const { document } = await answered(publishedTypes)
    const all = [...describable(document)]
    expect(all.length).toBeGreaterThan(300)
    const undescribed = all.filter(
      ([, { description }]) => typeof description !== 'string' || description.trim().length < 5,
    )
    expect(undescribed.map(([path]) => path)).toEqual([])
    const long = all.filter(([, { description }]) => String(description).length > 400)
    expect(long.map(([path]) => path)).toEqual([])
  })

  it('names each operation once, and gives it a tag that is described', async () => {
    const { paths, tags } = parsed.parse((await answered(publishedTypes)).document)
    const operations = Object.values(paths).map(({ get }) => get)
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(10)
    const known = tags.map(({ name }) => name)
    for (const { tags: own } of operations) expect(known).toEqual(expect.arrayContaining(own))
  })

  it('is the schema of the bodies, whose two fields follow the setting (contract 70)', async () => {
    const { document, ...bodies } = await answered(publishedTypes)
    const count = publishedTypes ? '7' : 7
    expect(bodies.balances).toMatchObject([{ token: { holders_count: count } }])
    const gasLimit = publishedTypes ? '21000' : 21_000
    expect(bodies.transactions).toMatchObject({ items: [{ gas_limit: gasLimit }] })
    expect(document).toHaveProperty('components.schemas')
    expect(Reflect.get(Object(document.components), 'schemas')).toMatchObject({
      Transaction: { properties: { gas_limit: { type: publishedTypes ? 'string' : 'integer' } } },
      TokenOfUnpagedBalance: {
        properties: {
          holders_count: { anyOf: [{ type: publishedTypes ? 'string' : 'integer' }, {}] },
        },
      },
      Token: { properties: { holders_count: { anyOf: [{ type: 'string' }, {}] } } },
    })
  })
})

it('keeps pages of both forms apart in the cache that processes share (contract 70)', async () => {
  const cache = memoryCache({ bytesMax: 1_000_000 })
  const own = await answered(false, cache)
  const published = await answered(true, cache)
  expect(published.transactions).toMatchObject({ items: [{ gas_limit: '21000' }] })
  expect(own.transactions).toMatchObject({ items: [{ gas_limit: 21_000 }] })
  expect(await answered(false, cache)).toEqual(own)
})
