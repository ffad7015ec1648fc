import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stripTypes } from '../support/strip-types.ts'

const run = promisify(execFile)

/** Prints the pids of its child processes, then its third line throws. */
const program = `interface Point { readonly x: number }
import { readdirSync, readFileSync } from 'node:fs'
const thrower = (point: Point) => { throw new Error(\`at \${point.x}\`) }
const children = (): string => readdirSync('/proc/self/task')
  .map((thread) => readFileSync(\`/proc/self/task/\${thread}/children\`, 'utf8')).join('').trim()
console.log(JSON.stringify(children()))
thrower({ x: 7 })
`
let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-sources-'))
  file = join(folder, 'program.ts')
  writeFileSync(file, program)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('sources run in one process, and their stacks have the lines of the sources', async () => {
  await expect(run(process.execPath, [...stripTypes, file])).rejects.toMatchObject({
    stdout: '""\n',
    stderr: expect.stringContaining(`at thrower (file://${file}:3:43)`),
  })
})
