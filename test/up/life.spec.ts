import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { boundMs } from '../support/slowness.ts'
import { endAll, freshFolder, mainnet, type Running, startUp } from './running.ts'

/** On an idle machine, and starts of a process that a busy one may take instead. */
const firstAnswer = [20_000, 20] as const
const stopping = [5_000, 6] as const
const lastBlock = '17686121'

const folder = freshFolder()
const flags = { source: mainnet, 'data-dir': folder }
let first: Running

beforeAll(() => {
  first = startUp(flags)
})
afterAll(() => {
  endAll()
  rmSync(folder, { recursive: true, force: true })
})

/** Paths of the example URLs that it logs, with their bodies. */
async function shown(running: Running): Promise<Map<string, unknown>> {
  await running.logged(events.up.ready)
  const bodies = new Map<string, unknown>()
  for (const said of running.lines.filter(({ event }) => event === events.up.urls)) {
    const { pathname } = new URL(z.string().parse(said.url))
    const { status, body, headers } = await running.get(pathname)
    expect(status, pathname).toBe(200)
    expect(headers.get('x-indexed-block')).toBe(lastBlock)
    bodies.set(pathname, body)
  }
  return bodies
}

const items = z.object({ items: z.array(z.unknown()) })
const bareItems = z.union([items, z.array(z.unknown()).transform((all) => ({ items: all }))])
let before = new Map<string, unknown>()

describe('foldscan up', () => {
  it('shows each endpoint that has something to show once, within 20 s', async () => {
    const began = Date.now()
    before = await shown(first)
    const tookMs = Date.now() - began
    expect(tookMs).toBeLessThan(await boundMs(...firstAnswer))
    expect(before.size).toBeGreaterThanOrEqual(6)
    for (const [path, body] of before) {
      const { items = null } = bareItems.safeParse(body).data ?? {}
      if (items !== null) expect(items.length, path).toBeGreaterThan(0)
    }
    const [late] = first.lines.filter(({ event }) => event === events.up.missingHistory)
    expect(late).toMatchObject({ block: 17_686_110 })
    for (const list of ['transactions', 'transfers', 'logs', 'token-transfers']) {
      const path = [...before.keys()].find((one) => one.endsWith(`/${list}`)) ?? ''
      expect(items.parse(before.get(path)).items.length, path).toBeGreaterThan(0)
    }
  })

  it('is ready once it can answer', async () => {
    expect((await first.get('/health/ready')).status).toBe(200)
  })

  it('serves metrics under one path, which no web page can read', async () => {
    const { status, headers } = await first.get('/metrics')
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
    for (const path of ['//metrics', '/%6Detrics', '/metrics/', '/health%2Flive']) {
      expect((await first.get(path)).status, path).toBe(404)
    }
  })

  it('refuses a second process on the same data folder, naming the first', async () => {
    const { code, reason } = await startUp(flags).exited
    expect(code).toBe(1)
    expect(reason).toContain(`used by another Foldscan, process ${first.pid}`)
    expect((await first.get('/health/ready')).status).toBe(200)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops cleanly within 5 s on %s', async (signal) => {
    const running = signal === 'SIGINT' ? first : startUp(flags)
    await running.logged(events.up.ready)
    const asked = Date.now()
    running.kill(signal)
    const { code, stderr } = await running.exited
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const tookMs = Date.now() - asked
    expect(tookMs).toBeLessThan(await boundMs(...stopping))
    expect(running.lines.at(-1)?.event).toBe(events.up.stopped)
  })

  it('stops cleanly while it is still starting', async () => {
    const running = startUp(flags)
    await running.logged(events.up.starting)
    running.kill('SIGINT')
    expect((await running.exited).code).toBe(0)
  })

  it('goes on where it stopped, with the same answers', async () => {
    const second = startUp(flags)
    for (const [path, body] of before) {
      await second.logged(events.up.ready)
      expect((await second.get(path)).body, path).toEqual(body)
    }
    expect((await second.logged(events.ingestor.started)).sequence).toBe(12)
    expect(second.lines.filter(({ event }) => event === events.ingestor.published)).toEqual([])
    second.kill('SIGKILL')
    await second.exited
  })

  it('takes over from a killed process at once, though its engine is still dying', async () => {
    const third = startUp(flags)
    await third.logged(events.up.ready)
    third.kill('SIGTERM')
    expect((await third.exited).code).toBe(0)
  })

  it('ends with one sentence when its engine is killed', async () => {
    const running = startUp(flags)
    await running.logged(events.up.ready)
    process.kill(z.int().parse((await running.logged(events.engine.started)).pid), 'SIGKILL')
    const { code, reason } = await running.exited
    expect(code).toBe(1)
    expect(reason).toMatch(/^[^\n]*engine[^\n]*\.$/)
  })

  it('refuses a source of another chain', async () => {
    const { code, reason } = await startUp({ ...flags, source: 'demo' }).exited
    expect(code).toBe(1)
    expect(reason).toMatch(/chain 1\b.*31337/)
  })
})
