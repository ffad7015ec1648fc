import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressObject } from '../address.ts'
import { lookupsOf } from '../testing/lookups.ts'
import { anAddress, aToken } from '../testing/rows.ts'
import { instanceObject } from './instance.ts'
import { safeUrl, withSafeUrls } from './safe-url.ts'

const svg = 'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>'

// Decision 58.
describe('a url that others published', () => {
  it.each([
    ['https://example.org/1.png'],
    ['HTTP://example.org'],
    ['https://example.org/a?next=javascript:alert(1)'],
    ['ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png'],
    ['ar://bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U'],
    ['data:image/png;base64,iVBORw0KGgo='],
    [svg],
  ])('is shown: %s', (url) => {
    expect(safeUrl(url)).toBe(url)
  })

  it.each([
    ['javascript:alert(1)'],
    ['JaVaScript:alert(1)'],
    ['\u0001 javascript:alert(1)'],
    ['java\nscript:alert(1)'],
    ['\tj\ta\tv\ta\tscript:alert(1)'],
    ['javascript&colon;alert(1)'],
    ['vbscript:msgbox(1)'],
    ['data:text/html,<script>alert(1)</script>'],
    ['data:text/html;image/png,<script>alert(1)</script>'],
    ['data:,image/png'],
    ['data:image/,x'],
    ['data:application/xhtml+xml,<x/>'],
    ['file:///etc/passwd'],
    ['blob:https://example.org/9115d58c'],
    ['filesystem:https://example.org/temporary/x'],
    ['view-source:https://example.org'],
    ['intent://scan/#Intent;scheme=zxing;end'],
    ['ftp://example.org/x'],
    ['//example.org/x.png'],
    ['\\\\example.org\\x'],
    ['/api/v2/x'],
    ['x.png'],
    ['https:'],
    ['https://'],
    ['https:///example.org'],
    ['https://exa\u0000mple.org'],
    ['https://a b/'],
    ['<svg onload=alert(1)>'],
    [''],
    [' '],
  ])('is null: %j', (url) => {
    expect(safeUrl(url)).toBeNull()
  })

  it('is read in a time that grows with its length only', () => {
    // With the square of its length it would take hours.
    const blanks = ' '.repeat(4_000_000)
    expect(safeUrl(`https://a/${blanks}x`)).toBe(`https://a/${blanks}x`)
    expect(safeUrl(`${blanks}https://a/x${blanks}`)).toBe('https://a/x')
  })

  it('loses what browsers skip, so that nobody reads another url than they do', () => {
    expect(safeUrl(' \thttps://exam\nple.org/a b\u0000')).toBe('https://example.org/a b')
  })
})

const schemes = ['javascript', 'vbscript', 'data', 'file', 'blob', 'about', 'ws', 'https', 'ipfs']
/** Characters that browsers strip from the ends of a url, or skip inside of it. */
const skipped = fc.string({ unit: fc.constantFrom('\t', '\n', '\r', ' ', '\u0000', '\u001f') })
const cased = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((isUpper) => [...text].map((one, at) => (isUpper[at] ? one.toUpperCase() : one)).join(''))
const interrupted = (text: string) =>
  fc
    .array(fc.constantFrom('', '', '\t', '\n', '\r\n'), { minLength: text.length })
    .map((between) => [...text].map((one, at) => one + (between[at] ?? '')).join(''))
const hostile = fc
  .tuple(
    skipped,
    fc
      .constantFrom(...schemes)
      .chain(cased)
      .chain(interrupted),
    fc.constantFrom(
      ':',
      '://',
      ':/',
      ':\\\\',
      ': ',
      '%3a',
      '&colon;',
      ':image/png,',
      ':text/html,',
    ),
    fc.string({ unit: 'binary' }),
    skipped,
  )
  .map((parts) => parts.join(''))
const anyText = fc.oneof(hostile, hostile, fc.string({ unit: 'binary' }), fc.webUrl())

/** What a browser opens; null where it takes the text for the rest of a path. */
const openedBy = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null)

function isHarmless(text: string): boolean {
  const url = openedBy(text)
  if (url === null) return false
  if (url.protocol === 'data:') return /^image\/[^,;/]+[,;]/.test(url.pathname)
  return ['http:', 'https:', 'ipfs:', 'ar:'].includes(url.protocol)
}

const token = anAddress(0x71)
const instance = { token, tokenId: 7n, standard: 'ERC-721' as const }

/** All that bodies show under names of urls, of facts that hold this text wherever one may be. */
function shownOf(url: string): readonly unknown[] {
  const media = { imageUrl: url, animationUrl: url, externalUrl: url, mediaType: null }
  const metadata = {
    ...{ image: url, image_url: url, animation_url: url, external_url: url, home_url: url },
    properties: { image: url, files: [{ uri: url }], images: [url, [url]] },
  }
  const tag = {
    slug: 's',
    name: 'n',
    tagType: 'name',
    ordinal: 0,
    meta: { tagUrl: url, icon: url },
  }
  const facts = {
    tokens: [aToken({ token })],
    tokenFacts: { iconUrl: url },
    addressFacts: { tags: [tag] },
  }
  const bodies = [media, null].map((found) => {
    const lookups = lookupsOf({ ...facts, instanceFacts: { metadata, media: found } })
    return [instanceObject(instance, lookups), addressObject(token, lookups)]
  })
  return bodies.flatMap((body) => urlsIn(body, false))
}

/** What stands under the name of a url, at any depth. */
function urlsIn(value: unknown, isUrl: boolean): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return isUrl ? [value] : []
  return Object.entries(value).flatMap(([name, inner]) =>
    urlsIn(inner, isUrl || /ur[il]$|image|icon/i.test(name)),
  )
}

it('opens nothing but what may be shown, however it is written', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = safeUrl(text)
      if (shown !== null) expect(isHarmless(shown), shown).toBe(true)
      const urls = shownOf(text)
      expect(urls.length).toBeGreaterThan(25)
      for (const url of urls) {
        if (typeof url !== 'string') expect(url).toBeNull()
        // What is no url at all stays in a document, and opens nothing.
        else expect(openedBy(url) === null || isHarmless(url), url).toBe(true)
      }
    }),
    { numRuns: 400 },
  )
})

it('leaves texts of a document that are no urls as they are', () => {
  const metadata = {
    name: 'Data: Genesis',
    description: 'javascript: the good parts',
    image: '<svg/>',
    image_data: svg,
    attributes: [{ trait_type: 'file:', value: 'about:blank' }],
    year: 2021,
    nothing: null,
  }
  expect(withSafeUrls(metadata)).toEqual(metadata)
})
