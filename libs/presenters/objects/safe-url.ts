import { isUrl } from '../../chain/parsed-url.ts'

/**
 * Untrusted URLs from metadata. Clients use them in `src` and `href`, so none may run a script or
 * open a file.
 */

const webForm = /^(?:https?|ipfs|ar):\/\/[^/]/i
/**
 * SVG too, as much art on the chain is: a browser runs no script of an image in `<img>`, and opens
 * no `data:` url as a page of its own.
 */
const imageForm = /^data:image\/[a-z0-9][a-z0-9.+-]*[;,]/i
/** Browsers ignore these characters, so that `java\nscript:` is a scheme. */
const skippedByBrowsers = /[\t\n\r]/g
/** The last of the characters that browsers leave out at both ends: controls and the blank. */
const blank = 0x20
const control = /\p{Cc}/u

/** @returns an http, https, ipfs, ar or data:image url, as browsers read it; null for any other */
export function safeUrl(text: string | null): string | null {
  const url = trimmed(text ?? '').replace(skippedByBrowsers, '')
  if (control.test(url)) return null
  if (imageForm.test(url)) return url
  return webForm.test(url) && isUrl(url) ? url : null
}

/** Without a regular expression: one that ends in `$` takes a square of the blanks inside. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && text.charCodeAt(start) <= blank) start++
  while (end > start && text.charCodeAt(end - 1) <= blank) end--
  return text.slice(start, end)
}

/** Names of members with URLs in untrusted documents. */
const urlName =
  /(?:^|[_-])(?:ur[il]|href|src|link|image|icon|logo|animation|audio|video|home|external)s?$/i
const urlNameInCamelCase = /(?:U[Rr][LlIi]|Href|Src|Link|Image|Icon|Logo)s?$/

type Document = Readonly<Record<string, unknown>>

/** The document with null for each unsafe URL; other strings are unchanged. */
export function withSafeUrls<D extends Document | null>(document: D): D | Document {
  if (document === null) return document
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const holdsUrls = urlName.test(name) || urlNameInCamelCase.test(name)
      return [name, safeValue(value, holdsUrls)]
    }),
  )
}

function safeValue(value: unknown, holdsUrl: boolean): unknown {
  if (typeof value === 'string') {
    // A text without a scheme (a bare CID, the source of an SVG) is not a URL and is dropped.
    return holdsUrl && safeUrl(value) === null && isUrl(value) ? null : value
  }
  if (Array.isArray(value)) return value.map((each: unknown) => safeValue(each, holdsUrl))
  return isDocument(value) ? withSafeUrls(value) : value
}

const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null
