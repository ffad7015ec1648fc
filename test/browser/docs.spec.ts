import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { routes } from '../../services/api/endpoints/routes.ts'
import { embeddedOnSocket } from '../api/embedded-on-socket.ts'
import { seriousViolations } from './accessibility.ts'
import { openBrowser } from './browser.ts'
import { overflowOf, views, watchedPage } from './watched-page.ts'

/** Recorded blocks of Ethereum, with subjects for all ten endpoints. */
const blocks = [17_686_110, 17_686_111]
/** For people who look at them after a change. */
const pictures = mkdtempSync(join(tmpdir(), 'foldscan-docs-'))

/**
 * Once, on a busy machine, Chromium drew no frame for two minutes; the cause is not known. It is
 * seen by a click that waits for an element to be stable, which takes two frames.
 */
const retry = { count: 1, condition: /visible, enabled and stable\S*\s*$/ }

const browser = await openBrowser()

describe.skipIf(browser === null)('/docs in a browser', { retry }, () => {
  if (browser === null) return
  let served: Awaited<ReturnType<typeof embeddedOnSocket>>
  beforeAll(async () => {
    served = await embeddedOnSocket(blocks)
    process.stdout.write(`\nscreenshots of /docs: ${pictures}\n`)
  })
  afterAll(async () => {
    await browser.close()
    await served.stop()
  })

  const opened = async (view: (typeof views)[keyof typeof views], fragment = '') => {
    const watched = await watchedPage(browser, served.origin, view)
    onTestFinished(watched.close)
    await watched.page.goto(`${served.origin}/docs${fragment}`)
    await operations(watched.page)
      .nth(routes.length - 1)
      .waitFor()
    return watched
  }

  it.each(Object.entries(views))('%s: tries operations with one click', async (name, view) => {
    const { page, complaints } = await opened(view)
    const shot = (what: string) => page.screenshot({ path: join(pictures, `${name}-${what}.png`) })
    await shot('list')
    expect(await overflowOf(page)).toBe(0)
    for (const at of view === views.light ? routes.keys() : lookedAt) {
      const operation = operations(page).nth(at)
      await operation.locator('.opblock-summary-control').click()
      await operation.getByRole('button', { name: 'Execute' }).click()
      expect(await statusOf(operation), routes[at]?.path).toBe('200')
      if (at === 0) {
        await operation.locator('.parameters-container').scrollIntoViewIfNeeded()
        await shot('parameters')
        await operation.locator('.live-responses-table').scrollIntoViewIfNeeded()
        await shot('response')
        expect(await overflowOf(page)).toBe(0)
        expect(await seriousViolations(page)).toEqual([])
      }
      // All of them together would be a page of 50,000 lines.
      await operation.locator('.opblock-summary-control').click()
    }
    expect(complaints).toEqual([])
  })

  it('is used by keyboard: search, open, execute', async () => {
    const { page, complaints } = await opened(views.light)
    await page.getByRole('searchbox').fill('holders')
    const operation = operations(page).first()
    await expect.poll(() => operations(page).count()).toBeLessThan(routes.length)
    const { keyboard } = page
    await tabTo(page, '.opblock-summary-control')
    await keyboard.press('Enter')
    await operation.locator('.execute').waitFor()
    await tabTo(page, '.execute')
    await keyboard.press('Enter')
    expect(await statusOf(operation)).toBe('200')
    await tabTo(page, '.request-snippets [role=button]')
    await tabTo(page, '.request-snippets .curl')
    expect(complaints).toEqual([])
  })

  it('opens the operation that a link names', async () => {
    const { page } = await opened(views.light)
    await operations(page).nth(3).locator('.opblock-summary-control').click()
    const { hash } = new URL(page.url())
    expect(hash).toMatch(/^#\/.+\/.+/)
    const linked = await opened(views.light, hash)
    await operations(linked.page).nth(3).locator('.execute').waitFor()
    expect(await linked.page.locator('.execute').count()).toBe(1)
  })
})

/** In the other views one is enough: its parameters and a response are looked at. */
const lookedAt = [0]

const operations = (page: Page): Locator => page.locator('.opblock')

/** The status of its response, once there is one. */
async function statusOf(operation: Locator): Promise<string> {
  const status = operation.locator('.live-responses-table .response .response-col_status').first()
  return ((await status.textContent()) ?? '').trim()
}

/** Elements that Tab passes on the way, at most. */
const tabsMax = 60

/** Moves the focus forward to the next element of that selector. @throws if Tab never reaches it */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tab = 0; tab < tabsMax; tab++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(`document.activeElement.matches('${selector}')`)) === true) return
  }
  throw new Error(`Tab does not reach ${selector}`)
}
