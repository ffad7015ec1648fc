import { readFileSync } from 'node:fs'
import { z } from 'zod'

const file = new URL('./open-api-examples.json', import.meta.url)

/**
 * By operation, a request and its answer on the real blocks of `test/mainnet`, as
 * `test/openapi/examples.spec.ts` checks. That spec renews the answers with `-u`.
 */
export const openApiExamples = z
  .record(z.string(), z.object({ request: z.string(), body: z.json() }))
  .parse(JSON.parse(readFileSync(file, 'utf8')))

/** Names of the fields that `--published-types` answers as text. */
const publishedAsText = ['gas_limit', 'holders_count']

/** An answer as it is with `--published-types`. */
export const publishedExample = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    publishedAsText.includes(name) && typeof value === 'number' ? String(value) : value,
  )
