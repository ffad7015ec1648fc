import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openApiOf } from '../../libs/presenters/open-api/open-api.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { openApiTools } from './tools.ts'

const tools = await openApiTools('linters')
afterAll(() => tools?.remove())

type Document = ReturnType<typeof openApiOf>

/** Answers have properties that only a description names; examples.spec.ts finds all others. */
const redoclySettings = `extends: [recommended]
rules:
  no-invalid-media-type-examples: { severity: error, allowAdditionalProperties: true }
`

/** What the linters say of a document, each with all rules that it recommends. */
async function said(document: unknown): Promise<readonly string[]> {
  if (tools === null) throw new Error('no tools')
  const file = join(tools.folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  writeFileSync(join(tools.folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n')
  writeFileSync(join(tools.folder, 'redocly.yaml'), redoclySettings)
  const redocly = await tools.run('redocly', 'lint', '--format=json', file)
  const words = ['lint', '--ruleset', 'spectral.yaml', '--fail-severity=hint', file]
  const spectral = await tools.run('spectral', ...words)
  return [redocly, spectral].map(({ code, output }) => `${code} ${output}`)
}

describe.skipIf(tools === null)('openapi.json', () => {
  it.each([false, true])('is without a finding of linters, with published types %s', async (is) => {
    const document: Document = openApiOf(routes, { publishedTypes: is, version: '1.2.3' })
    const [redocly, spectral] = await said(document)
    expect(redocly).toMatch(/^0 /)
    expect(redocly).toContain('"errors": 0,\n    "warnings": 0')
    expect(spectral).toBe("0 No results with a severity of 'hint' or higher found!\n")
  })

  it('is not if an operation lacks its id: the linters look', async () => {
    const document = openApiOf(routes, { publishedTypes: false, version: '1.2.3' })
    const text = JSON.stringify(document).replace('"operationId":"holdersOfToken",', '')
    const [redocly, spectral] = await said(JSON.parse(text))
    expect(redocly).toContain('operation-operationId')
    expect(spectral).toMatch(/^1 /)
  })
  it('is not if an example is not as its schema says', async () => {
    const document = openApiOf(routes, { publishedTypes: false, version: '1.2.3' })
    const text = JSON.stringify(document).replace('"decimals":"6"', '"decimals":6')
    expect(text).not.toBe(JSON.stringify(document))
    const [redocly, spectral] = await said(JSON.parse(text))
    expect(redocly).toContain('no-invalid-media-type-examples')
    expect(spectral).toContain('oas3-valid-media-example')
  })
})
