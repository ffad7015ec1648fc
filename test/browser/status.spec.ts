import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpServer } from '../../libs/ports/http.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type EmbeddedServices, startEmbedded } from '../oracle/embedded-services.ts'
import { mainnetId, mainnetMessages } from '../support/mainnet-messages.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'
import { seriousViolations } from './accessibility.ts'
import { openBrowser } from './browser.ts'
import { overflowOf, views, watchedPage } from './watched-page.ts'

/** Recorded blocks of Ethereum: two at the start, and one for each view. */
const firstBlock = 17_686_110
const atStart = 2
const numbers = Array.from({ length: atStart + 3 }, (_, at) => firstBlock + at)
/** For people who look at them after a change. */
const pictures = mkdtempSync(join(tmpdir(), 'foldscan-status-'))

const browser = await openBrowser()

describe.skipIf(browser === null)('/ in a browser', () => {
  if (browser === null) return
  let embedded: EmbeddedServices
  let server: HttpServer
  const origin = () => `http://127.0.0.1:${server.port}`
  let published: Awaited<ReturnType<typeof mainnetMessages>>
  /** Messages in the log; the first one is an observation. */
  let appended = 0

  async function index(blocks: number): Promise<void> {
    const next = published.slice(appended, blocks + 1)
    const messages = next.map((value) => ({ key: `${mainnetId}`, value: encodeMessage(value) }))
    await embedded.eventLog.append('blocks', messages)
    appended += messages.length
    await embedded.reached(appended, firstBlock + blocks - 1)
  }

  beforeAll(async () => {
    published = await mainnetMessages(numbers)
    embedded = await startEmbedded(mainnetId)
    server = await uwsServer({ port: 0, handler: embedded.handler, log: silentLog })
    await index(atStart)
    process.stdout.write(`\nscreenshots of /: ${pictures}\n`)
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
    await embedded.stop()
  })

  it.each(Object.entries(views))('%s: shows a new head without a reload', async (name, view) => {
    const at = Object.keys(views).indexOf(name)
    const { page, complaints, close } = await watchedPage(browser, origin(), view)
    await page.goto(`${origin()}/`)
    await headShows(page, firstBlock + atStart - 1 + at)
    await index(atStart + at + 1)
    await headShows(page, firstBlock + atStart + at)
    for (const id of ['blocks', 'groups', 'reads', 'tables']) {
      await page.locator(`#${id} tbody tr`).first().waitFor()
    }
    const example = page.locator('#examples a').first()
    await example.waitFor()
    expect(await example.getAttribute('href')).toMatch(/^api\/v2\//)
    expect(await page.locator('#state').textContent()).toBe('live')
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    expect(await overflowOf(page)).toBe(0)
    expect(complaints).toEqual([])
    expect(await seriousViolations(page)).toEqual([])
    await close()
  })

  it('says that updates are late, and goes on once there is a server again', async () => {
    const before = await tcpProxy(server.port)
    const { port } = before
    const { page, close } = await watchedPage(browser, `http://127.0.0.1:${port}`, views.light)
    await page.goto(`http://127.0.0.1:${port}/`)
    await state(page, 'live').waitFor()
    await before.close()
    await state(page, 'reconnecting').waitFor()
    expect(await page.locator('#state').textContent()).toMatch(/^last update \d+ s ago, /)
    const after = await tcpProxy(server.port, undefined, port)
    await state(page, 'live').waitFor()
    await after.close()
    await close()
  })
})

const state = (page: Page, text: string) => page.locator('#state').filter({ hasText: text })

const headShows = (page: Page, block: number) =>
  page
    .locator('#head-block')
    .filter({ hasText: block.toLocaleString('en') })
    .waitFor()
