import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { boundMs } from '../support/slowness.ts'
import { endAll, freshFolder, startUp } from './running.ts'

/** On an idle machine, and starts of a process that a busy one may take instead. */
const firstAnswer = [20_000, 20] as const
const stopping = [5_000, 6] as const
const folders: string[] = []

function demoFlags(): { 'data-dir': string } {
  const folder = freshFolder()
  folders.push(folder)
  return { 'data-dir': folder }
}

afterAll(() => {
  endAll()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const list = z.object({ items: z.array(z.unknown()).min(1) })
const bareList = z.array(z.unknown()).min(1)

describe('foldscan up without a word', () => {
  it('answers all ten endpoints with data of a demo chain within 20 s, and stops', async () => {
    const began = Date.now()
    const running = startUp(demoFlags())
    await running.logged(events.up.ready)
    const shown = running.lines.filter(({ event }) => event === events.up.urls)
    expect(shown).toHaveLength(10)
    for (const { url } of shown) {
      const { pathname } = new URL(z.string().parse(url))
      const { status, body } = await running.get(pathname)
      expect(status, pathname).toBe(200)
      if (pathname.endsWith('/token-balances')) expect(bareList.parse(body)).toBeDefined()
      else if (!/\/summary$|\/tokens\/0x[0-9a-f]+$/.test(pathname)) list.parse(body)
    }
    const tookMs = Date.now() - began
    expect(tookMs).toBeLessThan(await boundMs(...firstAnswer))
    expect(running.lines.filter(({ event }) => event === events.up.missingHistory)).toEqual([])
    running.kill('SIGINT')
    expect((await running.exited).code).toBe(0)
  })

  it('reads the chain while it is mined, and serves it again while it is mined again', async () => {
    const flags = { ...demoFlags(), 'demo-backlog-transactions': '20000' }
    const running = startUp(flags)
    const mining = await running.logged(events.demo.mining)
    expect(mining).toMatchObject({ mined: expect.any(Number), total: 720 })
    await running.logged(events.ingestor.started)
    await running.logged(events.up.ready)
    expect(running.lines.filter(({ event }) => event === events.demo.started)).toEqual([])
    running.kill('SIGKILL')
    await running.exited
    const again = startUp(flags)
    await again.logged(events.up.ready)
    const shown = again.lines.filter(({ event }) => event === events.up.urls)
    expect(shown).toHaveLength(10)
    const { pathname } = new URL(z.string().parse(shown[0]?.url))
    expect(await again.get(pathname)).toMatchObject({ status: 200 })
    expect(again.lines.filter(({ event }) => event === events.demo.started)).toEqual([])
    again.kill('SIGINT')
    expect((await again.exited).code).toBe(0)
  })

  it('stops within 5 s while the backlog is still being mined', async () => {
    const running = startUp(demoFlags())
    await running.logged(events.ingestor.started)
    const asked = Date.now()
    running.kill('SIGINT')
    expect(await running.exited).toEqual({ code: 0, signal: null, reason: '', stderr: '' })
    const tookMs = Date.now() - asked
    expect(tookMs).toBeLessThan(await boundMs(...stopping))
  })
})
