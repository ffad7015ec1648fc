import { readdirSync } from 'node:fs'
import type { Query } from '../query.ts'

const folder = new URL('../', import.meta.url)

/** All queries that modules of this folder export. */
export const declaredQueries: Query<unknown>[] = []
for (const file of readdirSync(folder)) {
  if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue
  const exported: object = await import(new URL(file, folder).href)
  declaredQueries.push(...Object.values(exported).filter(isQuery))
}

function isQuery(value: unknown): value is Query<unknown> {
  return typeof value === 'object' && value !== null && 'sql' in value && 'budget' in value
}
