import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openApiOf } from '../../libs/presenters/open-api/open-api.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { openApiTools } from './tools.ts'

const tools = await openApiTools('breaking-changes')
afterAll(() => tools?.remove())

const released = fileURLToPath(new URL('../../deploy/openapi/', import.meta.url))
const newestFirst = readdirSync(released).sort((one, other) =>
  other.localeCompare(one, 'en', { numeric: true }),
)

/** What would break clients that were made from the document of the last release. */
async function breakingChanges(text: string): Promise<string> {
  if (tools === null) throw new Error('no tools')
  const file = join(tools.folder, 'now.json')
  writeFileSync(file, text)
  const last = join(released, newestFirst[0] ?? '')
  const { code, output } = await tools.run('oasdiff', 'breaking', last, file, '--fail-on', 'WARN')
  return `${code} ${output}`
}

const now = JSON.stringify(openApiOf(routes, { publishedTypes: false, version: '1.2.3' }))

describe.skipIf(tools === null)('openapi.json, compared with that of the last release', () => {
  it('has no breaking change', async () => {
    expect(await breakingChanges(now)).toMatch(/^0 /)
  })

  it.each([
    ['response-required-property-removed', now.replaceAll('"holders_count":{', '"holders":{')],
    ['request-parameter-removed', now.replace('"name":"filter"', '"name":"side"')],
    ['api-path-removed-without-deprecation', now.replace('/holders"', '/owners"')],
  ])('would have one: %s', async (rule, text) => {
    expect(text).not.toBe(now)
    const found = await breakingChanges(text)
    expect(found).toMatch(/^1 /)
    expect(found).toContain(rule)
  })
})
