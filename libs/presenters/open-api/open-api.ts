import { z } from 'zod'
import { type Declared, integerEnd, type Nulls, printedIntegerMax } from '../parameters.ts'
import { named, publishedForms, shapes } from '../schemas.ts'
import { openApiExamples, publishedExample } from './open-api-examples.ts'
import {
  freshHeaders,
  headersOf,
  type OwnHeader,
  otherResponses,
  sharedResponses,
} from './open-api-responses.ts'

/** An endpoint as clients see it: path, parameters, response body. */
export interface Endpoint<D extends Declared> {
  readonly path: string
  /** What the path's one parameter names. */
  readonly subject: 'address' | 'transaction'
  /** Whether an unknown subject is a 404. */
  readonly mayBeUnknown: boolean
  /** Name of the function in generated clients. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly body: z.ZodType
  readonly parameters: D
  /** Response headers that not every endpoint has. */
  readonly headers?: readonly OwnHeader[]
}

type JsonSchema = z.core.JSONSchema.BaseSchema

interface JsonContent {
  readonly 'application/json': { readonly schema: object; readonly example?: unknown }
}

const uri = (id: string): string => `#/components/schemas/${id}`

/** Omits bounds and patterns that only describe checks in JavaScript, not the API. */
function printedShapes({ publishedTypes }: PrintedForms) {
  const { schemas } = z.toJSONSchema(shapes, {
    uri,
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const published = publishedTypes && publishedForms.get(zodSchema)
      if (published) replaceBy(jsonSchema, published)
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      omitOddNames(jsonSchema)
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id, $schema, ...schema }]) => [id, schema]),
  )
}

/**
 * Generators make one identifier of `indexed` and `indexed?`, and omit or break what has both; of a
 * pattern for the odd name, openapi-typescript makes a type that no object has. It is named in the
 * description alone: objects may have more properties than those declared.
 */
function omitOddNames(jsonSchema: JsonSchema): void {
  for (const [name, property] of Object.entries(jsonSchema.properties ?? {})) {
    if (/^\w+$/.test(name)) continue
    const { [name]: _, ...rest } = jsonSchema.properties ?? {}
    jsonSchema.properties = rest
    jsonSchema.required = jsonSchema.required?.filter((one) => one !== name)
    const { description = '' } = jsonSchema
    const note = `Also has \`${name}\`: ${Object(property).description}`
    jsonSchema.description = `${description} ${note}`.trim()
  }
}

function replaceBy(jsonSchema: object, published: z.ZodType): void {
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
  const { $schema, ...form } = z.toJSONSchema(published, { io: 'input' })
  Object.assign(jsonSchema, form)
}

/** JSON of a shape, by its name, with a real answer if there is one. */
function content(
  { body, operationId }: Endpoint<Declared>,
  { publishedTypes }: PrintedForms,
): JsonContent {
  const { id } = shapes.get(body) ?? {}
  if (id === undefined) throw new Error('a body has no name in the document')
  const schema = { $ref: uri(id) }
  const answer = openApiExamples[operationId]?.body
  if (answer === undefined) return { 'application/json': { schema } }
  const example = publishedTypes ? publishedExample(answer) : answer
  return { 'application/json': { schema, example } }
}

/** Texts that count as absent, as clients send null in different forms. */
const absent: Readonly<Record<Nulls, string>> = {
  empty: 'EmptyText',
  'null and empty': 'NullText',
}
named(absent.empty, z.enum(['']).describe('Counts as absent.'))
named(absent['null and empty'], z.enum(['', 'null']).describe('Counts as absent.'))

/** What a parameter says of itself, and of its form. */
const parameterMeta = z.object({
  description: z.string().optional(),
  printed: z.looseObject({ description: z.string(), default: z.unknown().optional() }),
  nulls: z.enum(['empty', 'null and empty']),
})

/** The schema of the texts that a parameter accepts, as its form declares it. */
function queryParameter([name, form]: [string, z.core.$ZodType]) {
  const { description = '', printed, nulls } = parameterMeta.parse(z.globalRegistry.get(form))
  const { description: formText, default: usual, ...schema } = printed
  return {
    name,
    in: 'query',
    required: false,
    description: `${description} ${formText}`.trim(),
    schema: {
      anyOf: [schema, { $ref: uri(absent[nulls]) }],
      ...(usual === undefined ? {} : { default: usual }),
    },
  }
}

const pathParameter = ({ subject }: Endpoint<Declared>) => ({
  name: `${subject}_hash`,
  in: 'path',
  required: true,
  description:
    subject === 'address'
      ? '0x and the 40 hexadecimal digits of an address, in any letter case.'
      : '0x and the 64 hexadecimal digits of the hash of a transaction, in any letter case.',
  schema: { type: 'string', pattern: `^0x[A-Fa-f0-9]{${subject === 'address' ? 40 : 64}}$` },
})

const tags = {
  addresses: 'What an address holds, sent and emitted.',
  tokens: 'Tokens, their transfers and holders.',
  transactions: 'What a transaction did.',
}

/** The kind of subject that a path begins with. */
function tagOf({ path }: Endpoint<Declared>): string {
  const tag = path.split('/')[3] ?? ''
  if (!(tag in tags)) throw new Error(`${path} has no tag`)
  return tag
}

const operation = (endpoint: Endpoint<Declared>, forms: PrintedForms) => ({
  get: {
    operationId: endpoint.operationId,
    tags: [tagOf(endpoint)],
    summary: endpoint.summary,
    description: endpoint.description,
    parameters: [
      pathParameter(endpoint),
      ...Object.entries(endpoint.parameters.shape).map(queryParameter),
    ],
    responses: {
      200: {
        description: endpoint.summary,
        headers: headersOf([...freshHeaders, ...(endpoint.headers ?? [])]),
        content: content(endpoint, forms),
      },
      ...otherResponses(endpoint),
    },
  },
})

export interface PrintedForms {
  /** Whether `--published-types` is set. */
  readonly publishedTypes: boolean
}

interface OpenApiOptions extends PrintedForms {
  /** Of Foldscan: the document changes with it. That of the API is in its paths. */
  readonly version: string
}

const description = `Addresses, tokens, transfers, transactions and logs of a chain, read-only.

Amounts are decimal strings in smallest units. Fields that are unknown are null. A list has \
\`items\` and \`next_page_params\`: send each of its keys back as a query parameter for the next \
page. An unknown query parameter is ignored, and of one that comes twice the last one counts. \
Every path also takes HEAD and OPTIONS.`

/** An API key raises the limit; without one a client is limited by its address, if at all. */
const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key with limits of its own. It is optional.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'apikey',
    description: 'The same key, for clients that cannot send headers.',
  },
}

/** OpenAPI 3.1, printed from the declarations that validate. */
export const openApiOf = (
  endpoints: readonly Endpoint<Declared>[],
  { version, ...forms }: OpenApiOptions,
) => ({
  openapi: '3.1.0',
  info: {
    title: 'Foldscan',
    version,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    contact: { name: 'The operator of this server' },
    description,
  },
  servers: [{ url: '/' }],
  tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
  security: [{}, { apiKeyHeader: [] }, { apiKeyQuery: [] }],
  paths: Object.fromEntries(
    endpoints.map((endpoint) => [endpoint.path, operation(endpoint, forms)]),
  ),
  components: { schemas: printedShapes(forms), ...sharedResponses, securitySchemes },
})

const nearInteger = new RegExp(`("maximum": ?)${printedIntegerMax}\\b`, 'g')

/** The document as text, with bounds that no number of JavaScript has. */
export const openApiText = (document: object, indent = 0): string =>
  JSON.stringify(document, null, indent).replace(nearInteger, `$1${integerEnd - 1n}`)
