import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answer, realAnswers } from './answers.ts'
import { mainnetServer } from './mainnet-server.ts'
import { openApiTools } from './tools.ts'

const tools = await openApiTools('generators')
afterAll(() => tools?.remove())

const clients = fileURLToPath(new URL('clients/', import.meta.url))
const complaintMaxChars = 4_000
const parsed = 'parsed 500 answers\n'
let answers: readonly Answer[] = []

const pathOf = (...names: readonly string[]) => join(tools?.folder ?? '', ...names)

/** @throws with the first of what it wrote unless it ended well */
async function run(program: string, ...words: readonly string[]): Promise<string> {
  const { code, output } = (await tools?.run(program, ...words)) ?? { code: 1, output: 'no tools' }
  if (code !== 0) {
    throw new Error(`${program} ${words.join(' ')}: ${code}\n${output.slice(0, complaintMaxChars)}`)
  }
  return output
}

beforeAll(async () => {
  if (tools === null) return
  const server = await mainnetServer()
  answers = await realAnswers(server)
  const document = await fetch(`${server.origin}/api/v2/openapi.json`)
  writeFileSync(pathOf('openapi.json'), await document.text())
  writeFileSync(pathOf('answers.json'), JSON.stringify(answers))
  await server.stop()
})

/** Compiles TypeScript to `js` beside it, with all checks. */
async function compile(folder: string, main: string): Promise<void> {
  writeFileSync(pathOf(folder, 'package.json'), '{"type":"module"}')
  const checks = ['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck']
  const form = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022']
  const files = ['--rootDir', pathOf(folder), '--outDir', pathOf(folder, 'js')]
  await run('tsc', ...checks, ...form, ...files, pathOf(folder, main))
}

const exportedForm = z.record(z.string(), z.unknown())
const schemaForm = z.custom<z.ZodType>((value) => value instanceof Object && 'safeParse' in value)

/** Parses all answers by the schemas that a module exports, by operation. */
async function parseBy(file: string, nameOf: (operationId: string) => string): Promise<number> {
  const exported = exportedForm.parse({ ...(await import(pathToFileURL(file).href)) })
  for (const { operationId, request, body } of answers) {
    const schema = schemaForm.parse(exported[nameOf(operationId)])
    const { error } = schema.safeParse(body)
    if (error !== undefined) throw new Error(`${request}: ${error.message}`)
  }
  return answers.length
}

const capitalised = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

describe.skipIf(tools === null)('a client generated from openapi.json', () => {
  it('has 500 real answers to parse, most of which show something', () => {
    expect(answers).toHaveLength(500)
    const shown = answers.filter(({ body }) => JSON.stringify(body).length > 100)
    expect(shown.length).toBeGreaterThan(300)
  })

  it('by openapi-typescript has types that the answers have', async () => {
    mkdirSync(pathOf('types'))
    await run('openapi-typescript', 'openapi.json', '--immutable', '-o', 'types/api.ts')
    const typed = answers.map(({ operationId, body }, at) => [
      `const body${at} = ${JSON.stringify(body)} as const`,
      `export const answer${at}: Answer<'${operationId}'> = body${at}`,
    ])
    writeFileSync(
      pathOf('types', 'answers.ts'),
      [
        "import type { operations } from './api'",
        'type Answer<O extends keyof operations> =',
        "  operations[O]['responses'][200]['content']['application/json']",
        ...typed.flat(),
      ].join('\n'),
    )
    await compile('types', 'answers.ts')
  })

  it('by @hey-api/openapi-ts compiles, and its schemas parse the answers', async () => {
    const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch', 'zod']
    await run(
      'openapi-ts',
      '-i',
      'openapi.json',
      '-o',
      'hey-api',
      '--no-log-file',
      '-p',
      ...plugins,
    )
    await compile('hey-api', 'index.ts')
    await compile('hey-api', 'zod.gen.ts')
    const nameOf = (operationId: string) => `z${capitalised(operationId)}Response`
    expect(await parseBy(pathOf('hey-api', 'js', 'zod.gen.js'), nameOf)).toBe(500)
  })

  it('by orval compiles, and its schemas parse the answers', async () => {
    await run('orval', '--input', 'openapi.json', '--output', 'orval/index.ts', '--client', 'fetch')
    await compile('orval', 'index.ts')
    await run(
      'orval',
      '--input',
      'openapi.json',
      '--output',
      'orval-zod/index.ts',
      '--client',
      'zod',
    )
    await compile('orval-zod', 'index.ts')
    const nameOf = (operationId: string) => `${capitalised(operationId)}Response`
    expect(await parseBy(pathOf('orval-zod', 'js', 'index.js'), nameOf)).toBe(500)
  })

  it('by openapi-python-client parses the answers and gives them back', async () => {
    const words = ['--output-path', 'api_client', '--meta', 'none', '--fail-on-warning']
    await run(
      'python3',
      '-m',
      'openapi_python_client',
      'generate',
      '--path',
      'openapi.json',
      ...words,
    )
    const harness = join(clients, 'parse_by_python_client.py')
    expect(await run('python3', harness, tools?.folder ?? '')).toBe(parsed)
  })

  it('by datamodel-code-generator validates the answers', async () => {
    const form = ['--output-model-type', 'pydantic_v2.BaseModel', '--input-file-type', 'openapi']
    const target = ['--target-python-version', '3.11', '--formatters', 'builtin']
    const files = ['--input', 'openapi.json', '--output', 'models.py']
    await run('python3', '-m', 'datamodel_code_generator', ...files, ...form, ...target)
    const harness = join(clients, 'parse_by_models.py')
    expect(await run('python3', harness, tools?.folder ?? '')).toBe(parsed)
  })

  it('by oapi-codegen compiles, and parses the answers', async () => {
    mkdirSync(pathOf('go'))
    for (const file of ['go.mod', 'go.sum', 'main.go']) {
      copyFileSync(join(clients, 'go', file), pathOf('go', file))
    }
    const words = ['-generate', 'types,client', '-package', 'main', '-o', 'go/client.gen.go']
    await run('oapi-codegen', ...words, 'openapi.json')
    await run('go', 'build', '-C', pathOf('go'), '-o', pathOf('go', 'parse'), '.')
    expect(await run(pathOf('go', 'parse'), pathOf('answers.json'))).toBe(parsed)
    expect(readFileSync(pathOf('go', 'client.gen.go'), 'utf8')).toContain('ERC20')
  })
})
