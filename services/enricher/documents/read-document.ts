import { TextDecoder, toUSVString } from 'node:util'
import {
  type InstanceFact,
  metadataCharactersMax,
} from '../../../libs/topics/facts/instance-facts.ts'
import { boundedJson, tooLong } from './json-text.ts'
import { markupOf, sniffMedia } from './sniff-media.ts'
import { withoutPadding } from './text-of-strangers.ts'

export type Metadata = NonNullable<InstanceFact['metadata']>
type Json = Metadata[string]

/** What the document of a token URI is, or a sentence why nothing. */
export type Document =
  /** Members as fetched. Well-formed, and as `instanceFact` accepts them. */
  | { readonly kind: 'metadata'; readonly metadata: Metadata }
  /** The URI is the image or video itself. */
  | { readonly kind: 'media'; readonly mediaType: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** Bytes of JSON that are decoded: four for each character that a fact may have. */
export const documentBytesMax = 4 * metadataCharactersMax
/** Bytes that show whether a document is SVG or HTML; declarations and comments come before. */
const headBytes = 4096

/**
 * What a server or a URI sent, by its content: nobody labels NFTs right. Never throws.
 * @param mediaType as the server said it; only explains why markup is refused
 */
export function readDocument(bytes: Uint8Array, mediaType: string | null): Document {
  const media = sniffMedia(bytes)
  if (media !== null) return { kind: 'media', mediaType: media }
  const markup = markupOf(textOf(bytes.subarray(0, headBytes)))
  if (markup === 'svg') return { kind: 'media', mediaType: 'image/svg+xml' }
  const isHtml = markup === 'html' || (markup === 'xml' && /html/i.test(mediaType ?? ''))
  if (isHtml) return refused('HTML, not JSON')
  if (markup === 'xml') return refused('XML, not JSON')
  if (bytes.length > documentBytesMax) return refused(`more than ${documentBytesMax} bytes`)
  const text = textOf(bytes)
  return text === '' ? refused('empty') : ofJson(text, { isInString: false })
}

const utf8 = new TextDecoder()
const utf16le = new TextDecoder('utf-16le')
const utf16be = new TextDecoder('utf-16be')

/** Without padding and marks of the byte order; what is malformed becomes U+FFFD. */
const textOf = (bytes: Uint8Array): string => withoutPadding(decoderOf(bytes).decode(bytes))

/** By the mark, or by the zeros of two ASCII characters. */
function decoderOf([first, second, third, fourth]: Uint8Array): TextDecoder {
  if (first === 0xff && second === 0xfe) return utf16le
  if (first === 0xfe && second === 0xff) return utf16be
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return utf16le
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? utf16be : utf8
}

function ofJson(text: string, { isInString }: { isInString: boolean }): Document {
  const bounded = boundedJson(text)
  if ('refused' in bounded) return refused(bounded.refused)
  const value = parsed(bounded.json)
  if (value === undefined) return refused(isInString ? 'a string, not an object' : 'not JSON')
  // JSON that was printed twice; not more often, so that work is bounded.
  if (typeof value === 'string' && !isInString) {
    return ofJson(withoutPadding(value), { isInString: true })
  }
  const object = objectOf(value)
  if (object === null) return refused(`${kindOf(value)}, not an object`)
  const metadata = wellFormedObject(object)
  // Only now: escapes and numbers have another length when they are printed again.
  return JSON.stringify(metadata).length > metadataCharactersMax
    ? refused(tooLong)
    : { kind: 'metadata', metadata }
}

/** Undefined, which JSON cannot say, if it is not JSON. */
function parsed(json: string): Json | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Some collections send a list of one. */
function objectOf(value: Json): Metadata | null {
  if (!Array.isArray(value)) return typeof value === 'object' ? value : null
  const [only, ...others] = value
  const isAlone = only !== undefined && others.length === 0 && !Array.isArray(only)
  return isAlone ? objectOf(only) : null
}

function kindOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** No deeper than the levels that `boundedJson` has counted. */
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return toUSVString(value)
  if (Array.isArray(value)) return value.map(wellFormed)
  return typeof value === 'object' && value !== null ? wellFormedObject(value) : value
}

/** Without `__proto__`, which a schema would drop only at the top. */
const wellFormedObject = (object: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => name !== '__proto__')
      .map(([name, value]) => [toUSVString(name), wellFormed(value)]),
  )

const refused = (reason: string): Document => ({ kind: 'refused', reason })
