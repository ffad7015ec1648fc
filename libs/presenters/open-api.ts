import { z } from 'zod'
import { type ErrorCode, errors } from './errors.ts'
import type { Declared } from './parameters.ts'
import { named, publishedForms, shapes } from './schemas.ts'

/** An endpoint as clients see it: path, parameters, response body. */
export interface Endpoint<D extends Declared> {
  readonly path: string
  /** What the path's one parameter names. */
  readonly subject: 'address' | 'transaction'
  /** Whether an unknown subject is a 404. */
  readonly mayBeUnknown: boolean
  readonly summary: string
  readonly body: z.ZodType
  readonly parameters: D
}

const fault = z.object({
  title: z.literal('Invalid value'),
  source: z.object({ pointer: z.string() }),
  detail: z.string(),
})

/** The one shape of every error. */
const error = named(
  'Error',
  z.object({
    message: z.string(),
    errors: z.array(fault).optional().describe('Only where parameters are at fault.'),
  }),
)

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
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $id, $schema, ...schema }]) => [id, schema]),
  )
}

function replaceBy(jsonSchema: object, published: z.ZodType): void {
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
  const { $schema, ...form } = z.toJSONSchema(published, { io: 'input' })
  Object.assign(jsonSchema, form)
}

/** JSON of a shape, by its name. */
function content(shape: z.ZodType) {
  const { id } = shapes.get(shape) ?? {}
  if (id === undefined) throw new Error('a body has no name in the document')
  return { 'application/json': { schema: { $ref: uri(id) } } }
}

const failing = (code: ErrorCode) => ({
  [errors[code].status]: {
    description: errors[code].message,
    content: content(error),
  },
})

/** The schema of the texts that a parameter accepts, as its form declares it. */
function queryParameter([name, form]: [string, z.core.$ZodType]) {
  const printed: unknown = 'meta' in form && typeof form.meta === 'function' ? form.meta() : {}
  const { description, ...schema } = printedOf(printed)
  return { name, in: 'query', required: false, description, schema }
}

function printedOf(meta: unknown): Record<string, unknown> {
  if (typeof meta !== 'object' || meta === null || !('printed' in meta)) return {}
  const { printed } = meta
  return typeof printed === 'object' && printed !== null ? { ...printed } : {}
}

const pathParameter = ({ subject }: Endpoint<Declared>) => ({
  name: `${subject}_hash`,
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: `^0x[A-Fa-f0-9]{${subject === 'address' ? 40 : 64}}$` },
})

const header = (description: string) => ({ description, schema: { type: 'string' } })

/** Freshness is in headers only, never in a body. */
const headers = {
  etag: header('Identifies these bytes; send it as if-none-match.'),
  'x-indexed-block': header('The newest block that all lists contain.'),
  'x-indexed-at': header('The time of that block, ISO 8601.'),
}

const operation = (endpoint: Endpoint<Declared>) => ({
  get: {
    summary: endpoint.summary,
    parameters: [
      pathParameter(endpoint),
      ...Object.entries(endpoint.parameters.shape).map(queryParameter),
    ],
    responses: {
      200: { description: endpoint.summary, headers, content: content(endpoint.body) },
      304: { description: 'Not modified: the ETag of if-none-match is current' },
      ...(endpoint.mayBeUnknown ? failing('notFound') : {}),
      ...failing('invalidParameters'),
      ...failing('notAcceptable'),
      ...failing('uriTooLong'),
      ...failing('headersTooLarge'),
      ...failing('internal'),
      ...failing('unavailable'),
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
    description: 'Addresses, tokens, transfers, transactions and logs of a chain, read-only.',
  },
  servers: [{ url: '/' }],
  paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, operation(endpoint)])),
  components: { schemas: printedShapes(forms) },
})
