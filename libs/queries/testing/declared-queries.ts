import { readdirSync } from 'node:fs'
import { declaredQueries as declaredSoFar } from '../reading/query.ts'

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

/** Of all these modules. */
export const declaredQueries = declaredSoFar()
