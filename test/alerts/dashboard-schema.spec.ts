import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { orSkipped } from '../support/or-skipped.ts'

const run = promisify(execFile)
const tools = fileURLToPath(new URL('tools/', import.meta.url))
const buildTimeoutMs = 10 * 60_000

/** Compiled once. */
async function schemaChecker(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['go.sum', 'dashboards/main.go']) hash.update(readFileSync(join(tools, file)))
  const built = join(stackHome, `dashboards-${hash.digest('hex').slice(0, 12)}`)
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  await buildOnce(built, (own) =>
    run('go', ['build', '-o', `${own}/`, './dashboards'], {
      cwd: tools,
      timeout: buildTimeoutMs,
      env,
    }),
  )
  return join(built, 'dashboards')
}

const checker = await orSkipped('schema of dashboards', schemaChecker)
const folder = fileURLToPath(new URL('../../helm/foldscan/files/dashboards/', import.meta.url))
const files = readdirSync(folder).map((name) => join(folder, name))

describe.skipIf(checker === null)("the dashboards, by Grafana's own schema", () => {
  const own = mkdtempSync(join(tmpdir(), 'foldscan-dashboards-'))
  afterAll(() => rmSync(own, { recursive: true }))

  const complaintsOf = (...paths: readonly string[]) =>
    execFileSync(checker ?? '', paths, { encoding: 'utf8' })

  it('have all fields, and none that Grafana does not know', () => {
    expect(files).toHaveLength(2)
    expect(complaintsOf(...files)).toBe('')
  })

  it('would be seen with a field that it does not know, or of another type', () => {
    const [first = ''] = files
    const wrong = join(own, 'wrong.json')
    const text = readFileSync(first, 'utf8')
    writeFileSync(wrong, text.replaceAll('"legendFormat"', '"legend"').replace('39', '"39"'))
    const complaints = complaintsOf(wrong)
    expect(complaints).toContain("targets[0].Dataquery: unexpected field 'legend'")
    expect(complaints).toContain('schemaVersion: json: cannot unmarshal string')
  })
})
