import type { z } from 'zod'
import { type Endpoint, endpoints } from './endpoints.ts'
import { type ErrorCode, errors } from './errors.ts'
import type { Declared } from './parameters/query.ts'

const fault = {
  type: 'object',
  required: ['title', 'source', 'detail'],
  properties: {
    title: { const: 'Invalid value' },
    source: {
      type: 'object',
      required: ['pointer'],
      properties: { pointer: { type: 'string' } },
    },
    detail: { type: 'string' },
  },
}

const schemas = {
  Error: {
    type: 'object',
    required: ['message'],
    properties: {
      message: { type: 'string' },
      errors: { type: 'array', items: fault, description: 'Only where parameters are at fault.' },
    },
  },
  List: {
    type: 'object',
    required: ['items', 'next_page_params'],
    properties: {
      items: { type: 'array', items: { type: 'object' } },
      next_page_params: {
        type: ['object', 'null'],
        description: 'Send every key back as a query parameter for the next page; null at the end.',
      },
    },
  },
}

const answers = {
  list: { $ref: '#/components/schemas/List' },
  array: { type: 'array', items: { type: 'object' } },
  object: { type: ['object', 'null'] },
} as const

const content = (schema: object) => ({ 'application/json': { schema } })

const failing = (code: ErrorCode) => ({
  [errors[code].status]: {
    description: errors[code].message,
    content: content({ $ref: '#/components/schemas/Error' }),
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

const operation = (endpoint: Endpoint<Declared>) => ({
  get: {
    summary: endpoint.summary,
    parameters: [
      pathParameter(endpoint),
      ...Object.entries(endpoint.parameters.shape).map(queryParameter),
    ],
    responses: {
      200: { description: endpoint.summary, content: content(answers[endpoint.answer]) },
      ...(endpoint.mayBeUnknown ? failing('notFound') : {}),
      ...failing('invalidParameters'),
      ...failing('uriTooLong'),
      ...failing('internal'),
      ...failing('unavailable'),
    },
  },
})

/** OpenAPI 3.1, printed from the declarations that validate. */
export const openApi = {
  openapi: '3.1.0',
  info: {
    title: 'Foldscan',
    version: '2',
    description: 'Addresses, tokens, transfers, transactions and logs of a chain, read-only.',
  },
  servers: [{ url: '/' }],
  paths: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, operation(endpoint)])),
  components: { schemas },
}
