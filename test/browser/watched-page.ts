import type { Browser, Page } from 'playwright-core'

/** How somebody looks at a page. */
export interface View {
  readonly colorScheme: 'light' | 'dark'
  /** Pixels. */
  readonly viewport: { readonly width: number; readonly height: number }
}

/** For a machine that is busy with other things. */
const actionTimeoutMs = 120_000

const desk = { width: 1_280, height: 900 }
const phone = { width: 390, height: 844 }

/** Each of these has to work. */
export const views = {
  light: { colorScheme: 'light', viewport: desk },
  dark: { colorScheme: 'dark', viewport: desk },
  phone: { colorScheme: 'light', viewport: phone },
} as const satisfies Readonly<Record<string, View>>

/** An empty page of a fresh profile, and what it complains about from then on. */
export interface WatchedPage {
  readonly page: Page
  /**
   * Errors and warnings of the console (violations of the page's policy among them), exceptions,
   * requests that failed or went to another origin, and responses of 400 and above.
   */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

/** @param origin the only one that the page may ask */
export async function watchedPage(
  browser: Browser,
  origin: string,
  { colorScheme, viewport }: View,
): Promise<WatchedPage> {
  const context = await browser.newContext({ colorScheme, viewport })
  context.setDefaultTimeout(actionTimeoutMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    const type = message.type()
    if (type === 'error' || type === 'warning') complaints.push(`${type}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) {
      complaints.push(`request to another origin: ${url}`)
    }
  })
  page.on('requestfailed', (request) => {
    complaints.push(`failed: ${request.url()} ${request.failure()?.errorText}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  return { page, complaints, close: () => context.close() }
}

/** Pixels that the page is wider than its window. */
export const overflowOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'))
