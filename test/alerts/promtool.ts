import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { DebianBinary } from '../support/debian-binary.ts'

/** promtool, with a folder for the file that it reads. */
export class Promtool {
  readonly #binary: DebianBinary
  readonly #folder = mkdtempSync(join(tmpdir(), 'foldscan-promtool-'))

  constructor(binary: DebianBinary) {
    this.#binary = binary
  }

  /** What it says of a file of unit tests; null if they pass. */
  failureOf(content: object): string | null {
    const file = join(this.#folder, 'test.yaml')
    writeFileSync(file, stringify(content))
    const { status, said } = this.#run('test', 'rules', file)
    return status === 0 ? null : said
  }

  /** What it says of a file of rules. */
  check(rulesFile: string): string {
    return this.#run('check', 'rules', rulesFile).said
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }

  /** @throws if it cannot be started */
  #run(...words: readonly string[]) {
    const { command, args } = this.#binary
    const { status, stdout, stderr, error } = spawnSync(command, [...args, ...words], {
      encoding: 'utf8',
    })
    if (error !== undefined) throw error
    return { status, said: `${stdout}${stderr}` }
  }
}
