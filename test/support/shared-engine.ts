import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'
import { silentLog } from '../../libs/signals/log.ts'

declare module 'vitest' {
  interface ProvidedContext {
    engine: EngineAddress
  }
}

/** Of three files at a time; in CI of two, one of which may fold blocks of 100 MB. */
const memoryMaxBytes = 4 * 1024 ** 3

/** One engine for all spec files of a project; `testStore` gives each databases of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-engine-'))
  const engine = await startEngine({ folder, log: silentLog, memoryMaxBytes })
  const { url, username, password } = engine
  project.provide('engine', { url, username, password })
  return async () => {
    await engine.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
