import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { events } from '../../libs/signals/events.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { readRows } from '../../libs/tables/declare/read-rows.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { startEngineIn } from '../../services/cli/up/embedded-store.ts'
import { runFoldscan } from '../services/run-foldscan.ts'
import { foldscanWords } from '../support/compiled-services.ts'
import { endAll, freshFolder, mainnet, ownEnvironment, startUp, top } from './running.ts'

const [data, restored, exported] = [freshFolder(), freshFolder(), join(freshFolder(), 'export')]
afterAll(endAll)

async function indexedIn(dataDir: string): Promise<void> {
  const running = startUp({ 'data-dir': dataDir, source: mainnet })
  await running.logged(events.up.indexed)
  running.kill('SIGTERM')
  expect(await running.exited).toMatchObject({ code: 0 })
}

/** Of a whole row: a hash of its columns would be null where one of them is. */
const rowHash = "cityHash64(formatRow('RowBinary', *))"

/** Of each table that topic `blocks` folds into, its rows and a sum over all their bytes. */
async function tablesIn(dataDir: string) {
  const engine = await startEngineIn(join(dataDir, 'engine'), silentLog)
  const { url, username, password } = engine
  const store = clickhouseStore({ url, username, password, database: 'foldscan' })
  const found = new Map<string, string>()
  for (const { name, stored } of foldedTables.filter(({ source }) => source === 'blocks')) {
    const sums = `toString(count()), ' rows, ', toString(sum(${rowHash}))`
    const sql = `SELECT concat(${sums}) FROM ${stored} FINAL`
    const [table] = await readRows(store, { sql }, (source) => source.text())
    if (table) found.set(name, table)
  }
  await store.close()
  await engine.stop()
  return found
}

it('a log that was exported and imported gives equal tables', async () => {
  await indexedIn(data)
  const early = await runFoldscan(['log', 'export', exported, '--from-data-dir', join(data, 'no')])
  expect(early.stderr).toContain('of --from-data-dir holds no log')
  const from = await runFoldscan(['log', 'export', exported, '--from-data-dir', data])
  expect(from, from.stderr).toMatchObject({ code: 0 })
  expect(from.stdout).toMatch(
    /^exported \d+ messages: .* of chain 1, up to block 17686121 in a file/,
  )
  const into = ['log', 'import', exported, '--into-data-dir', restored]
  const other = await runFoldscan([...into, '--chain-id', '10'])
  expect(other.stderr).toContain('The export is of chain 1, --chain-id is 10.')
  await killedWhile(into)
  const done = await runFoldscan(into)
  expect(done, done.stderr).toMatchObject({ code: 0 })
  expect((await runFoldscan(into)).stdout).toMatch(/^published 0 messages of positions 1 to \d+/)
  await indexedIn(restored)
  const [before, after] = [await tablesIn(data), await tablesIn(restored)]
  expect(before.get('transactions')).toMatch(/^2258 rows, /)
  expect(after).toEqual(before)
})

/** Starts a command and kills it as soon as there is a log in the folder. */
async function killedWhile(words: readonly string[]): Promise<void> {
  const env = { ...process.env, ...ownEnvironment() }
  const child = spawn(process.execPath, foldscanWords(words), { cwd: top, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  while (child.exitCode === null && !existsSync(join(restored, 'log', 'log.lmdb'))) {
    await pause(20)
  }
  child.kill('SIGKILL')
  await ended
}
