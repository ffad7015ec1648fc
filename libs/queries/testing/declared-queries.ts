import { readdirSync } from 'node:fs'
import type { Query } from '../query.ts'

const folder = new URL('../', import.meta.url)

/** Paths in `libs/queries`, those in the folders of single questions included. */
export const queryFiles = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (path) => !path.startsWith('testing/'),
)

/** Names and values that the modules of `libs/queries` export. */
export const queryExports: [name: string, value: unknown][] = []
for (const path of queryFiles) {
  if (!path.endsWith('.ts') || path.endsWith('.spec.ts')) continue
  const exported: object = await import(new URL(path, folder).href)
  queryExports.push(...Object.entries(exported))
}

export const declaredQueries: readonly Query<unknown>[] = queryExports
  .map(([, value]) => value)
  .filter(isQuery)

function isQuery(value: unknown): value is Query<unknown> {
  return typeof value === 'object' && value !== null && 'sql' in value && 'budget' in value
}
