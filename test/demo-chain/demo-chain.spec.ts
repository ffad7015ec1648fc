import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startDemoChain } from '../../services/demo-chain/demo-chain.ts'
import type { DemoChain } from '../../services/demo-chain/demo-chain-port.ts'
import { openJournal } from '../../services/demo-chain/journal.ts'
import { jsonRpc } from '../../services/demo-chain/json-rpc.ts'
import { isSnapshotDue, newestSnapshot, takeSnapshot } from '../../services/demo-chain/snapshot.ts'
import { stripTypes } from '../support/strip-types.ts'
import { readBlocks } from './chain-reader.ts'

const quiet = { info: () => {}, error: () => {} }
const genesisTime = 1_700_000_000
const started: DemoChain[] = []
const folders: string[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const chain of started.splice(0)) await chain.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Wanted {
  readonly seed?: number
  readonly backlogTransactions?: number
  readonly folder?: string
}

async function demo({ seed = 7, backlogTransactions = 300, folder }: Wanted): Promise<DemoChain> {
  const chain = await startDemoChain({
    seed,
    backlogTransactions,
    genesisTime,
    blockIntervalMs: null,
    log: quiet,
    ...(folder === undefined ? {} : { folder }),
  })
  started.push(chain)
  return chain
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-'))
  folders.push(folder)
  return folder
}

test('makes the same chain for the same seed and another one for another', async () => {
  const [first, again, other] = [await demo({}), await demo({}), await demo({ seed: 8 })]
  expect(again.head()).toEqual(first.head())
  expect(other.head().hash).not.toBe(first.head().hash)
})

test('has every transaction type, failures, and every form of transfer', async () => {
  const chain = await demo({ backlogTransactions: 3_000 })
  const blocks = await readBlocks(chain.url, chain.head().number)
  const types = new Set(blocks.flatMap(({ transactions }) => transactions.map(({ type }) => type)))
  expect([...types].sort()).toEqual([0, 1, 2, 3, 4])
  const receipts = blocks.flatMap((block) => block.receipts)
  expect(receipts.length).toBeGreaterThan(2_500)
  expect(receipts.filter(({ status }) => status === 0).length).toBeGreaterThan(100)
  const forms = new Set(
    receipts.flatMap(({ logs }) => logs.map(({ topics: [of, ...rest] }) => `${of} ${rest.length}`)),
  )
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  expect(forms).toContain(`${transfer} 0`)
  expect(forms).toContain(`${transfer} 2`)
  expect(forms).toContain(`${transfer} 3`)
  expect(forms).toContain('0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62 3')
  expect(forms).toContain('0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb 3')
})

test('goes on where it stopped when it starts again in the same folder', async () => {
  const folder = temporaryFolder()
  const first = await demo({ folder })
  await first.mine()
  await first.reorganise(3)
  const before = await readBlocks(first.url, first.head().number)
  await first.stop()
  const again = await demo({ folder })
  expect(await readBlocks(again.url, again.head().number)).toEqual(before)
  const next = await again.mine()
  expect(next.number).toBe(before.length + 1)
})

test('continues from a snapshot as if it had made the whole chain again', async () => {
  const folder = temporaryFolder()
  const first = await demo({ folder })
  await first.reorganise(2)
  const { entries } = openJournal(folder, { seed: 7, genesisTime, backlogBlocks: 0 })
  await takeSnapshot(jsonRpc(first.url), folder, entries.length)
  await first.mine()
  await first.mine()
  const before = await readBlocks(first.url, first.head().number)
  await first.stop()
  expect(newestSnapshot(folder, entries)).toMatchObject({ entries: entries.length })
  const again = await demo({ folder })
  expect(await readBlocks(again.url, again.head().number)).toEqual(before)
  const third = await again.mine()
  await again.stop()
  rmSync(join(folder, `after-${entries.length}.json`))
  const anew = await demo({ folder })
  expect(anew.head()).toEqual(third)
})

test('takes a snapshot after a thousand blocks, then each time that it grew by a quarter', () => {
  expect([999, 1_000].map((entries) => isSnapshotDue(entries, 0))).toEqual([false, true])
  expect([9_999, 10_000].map((entries) => isSnapshotDue(entries, 8_000))).toEqual([false, true])
})

test('overlooks a last line that was cut off in the middle', async () => {
  const folder = temporaryFolder()
  const first = await demo({ folder })
  await first.stop()
  appendFileSync(join(folder, 'demo-chain.jsonl'), '{"kind":"mined","num')
  const again = await demo({ folder })
  expect(again.head()).toEqual(first.head())
  await again.mine()
  await again.stop()
  const third = await demo({ folder })
  expect(third.head().number).toBe(first.head().number + 1)
})

test('refuses the folder of another seed', async () => {
  const folder = temporaryFolder()
  await (await demo({ folder })).stop()
  await expect(demo({ folder, seed: 9 })).rejects.toThrow('holds the demo chain of seed 7, not 9')
})

test.each([1, 3, 12, 64])('replaces %i blocks by as many others and one more', async (depth) => {
  const chain = await demo({ backlogTransactions: 2_000 })
  const before = await readBlocks(chain.url, chain.head().number)
  await chain.reorganise(depth)
  const after = await readBlocks(chain.url, chain.head().number)
  const kept = before.length - depth
  expect(after.length).toBe(before.length + 1)
  expect(after.slice(0, kept)).toEqual(before.slice(0, kept))
  const orphaned = new Set(before.slice(kept).map(({ hash }) => hash))
  expect(after.filter(({ hash }) => orphaned.has(hash))).toEqual([])
  const hashes = (of: typeof after) =>
    new Set(of.slice(kept).flatMap(({ transactions }) => transactions.map(({ hash }) => hash)))
  const [old, renewed] = [hashes(before), hashes(after)]
  expect([...renewed].some((hash) => !old.has(hash))).toBe(true)
  if (depth > 3) expect([...renewed].some((hash) => old.has(hash))).toBe(true)
})

test('reports that the chain has ended', async () => {
  const chain = await demo({})
  process.kill(chain.pid, 'SIGKILL')
  expect(await chain.exited).toContain('the demo chain (anvil) ended')
})

test('takes the chain with it when its process is killed', async () => {
  const child = spawn(
    process.execPath,
    [...stripTypes, new URL('./chain-to-kill.ts', import.meta.url).pathname],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(child.stdout, 'data')
  const pid = Number.parseInt(String(line), 10)
  expect(process.kill(pid, 0)).toBe(true)
  child.kill('SIGKILL')
  await gone(pid)
})

/** Looks until the process is no more. @throws after ten seconds. */
async function gone(pid: number): Promise<void> {
  const deadline = Date.now() + 10_000
  while (Date.now() < deadline) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`process ${pid} is still there`)
}

test('starts where there is no shell, as in the image', async () => {
  vi.stubEnv('PATH', '/nowhere')
  const chain = await demo({ backlogTransactions: 1 })
  vi.unstubAllEnvs()
  expect(chain.head().number).toBeGreaterThan(0)
})
