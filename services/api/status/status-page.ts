import { readFileSync } from 'node:fs'
import type { Head } from '../../../libs/presenters/lookups.ts'
import { type Content, tagged } from '../response/responses.ts'
import { digestOf, templateOf } from '../response/splices.ts'

/** Below `/api`: proxies that forward only what the API serves need no further rule. */
const folder = '/api/status/'
export const statusStreamPath = `${folder}stream`

/** Nothing is loaded from elsewhere, and no script or style that stands in the page is used. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Of each file: what a browser takes it for is what it is sent as. */
const sent = (text: string, headers: Readonly<Record<string, string>>): Content => {
  const body = templateOf(text)
  return tagged(body.bytes, digestOf(body), { ...headers, 'x-content-type-options': 'nosniff' })
}

const fileOf = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

/** In the page, for browsers without scripts. */
const headMark = '{head}'

/** The content of a path of the status page; undefined for any other path. */
export type StatusFiles = (path: string, head: Head | null) => Content | undefined

export function statusFiles(): StatusFiles {
  const page = fileOf('status.html')
  const files = new Map([
    [`${folder}status.css`, sent(fileOf('status.css'), { 'content-type': cssType })],
    [`${folder}status.js`, sent(fileOf('status.js'), { 'content-type': scriptType })],
  ])
  let latest: { readonly block: number | undefined; readonly content: Content } | null = null
  return (path, head) => {
    if (path !== '/') return files.get(path)
    if (latest === null || latest.block !== head?.block) {
      const content = sent(
        page.replace(headMark, () => headText(head)),
        pageHeaders,
      )
      latest = { block: head?.block, content }
    }
    return latest.content
  }
}

const cssType = 'text/css; charset=utf-8'
const scriptType = 'text/javascript; charset=utf-8'

const headText = (head: Head | null): string => (head === null ? 'none yet' : String(head.block))
