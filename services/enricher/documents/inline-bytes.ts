/** What a `data:` URI says. */
type InlineBytes =
  | { readonly bytes: Uint8Array; readonly mediaType: string | null }
  | { readonly refused: string }

const mediaTypeForm = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9!#$&^_.+-]+$/

/**
 * The content of a `data:` URI as contracts write them. Parsers of the URL standard refuse most of
 * what is malformed here, and cut a text at its first `#`.
 * @param mediaType of the result is in lower case, without parameters; null if it has another form
 */
export function inlineBytesOf(uri: string): InlineBytes {
  const comma = uri.indexOf(',')
  if (comma < 0) return { refused: 'data URI without a comma' }
  const [type = '', ...parameters] = uri
    .slice('data:'.length, comma)
    .split(';', parametersMax)
    .map((part) => part.trim().toLowerCase())
  const mediaType = mediaTypeForm.test(type) ? type : null
  const payload = uri.slice(comma + 1)
  // Some contracts say base64 and send text; no text of JSON or SVG is base64.
  if (!parameters.includes('base64') || /^\s*(?:[{[<]|%7b|%3c)/i.test(payload)) {
    return { bytes: percentDecoded(withQuotesEscaped(payload)), mediaType }
  }
  const bytes = base64Decoded(payload)
  return bytes === null ? { refused: 'data URI with malformed base64' } : { bytes, mediaType }
}

/** Parts of the head of a data URI that are looked at. */
const parametersMax = 16

/** Either alphabet; blanks, padding that is missing, and a fragment are left out. */
function base64Decoded(payload: string): Uint8Array | null {
  const [text = ''] = Buffer.from(percentDecoded(payload)).toString('latin1').split('#', 1)
  const packed = text.replace(/\s+/g, '')
  return /^[A-Za-z0-9+/_-]*={0,3}$/.test(packed) ? Buffer.from(packed, 'base64') : null
}

/**
 * Whoever writes JSON into a URI with its quotes as they are can only mean a quote in a string by
 * `%22`: of an SVG's attributes, mostly. Decoded, it would end that string.
 */
const withQuotesEscaped = (payload: string): string =>
  /^\s*\{\s*"/.test(payload) ? payload.replace(/\\?%22/g, '\\"') : payload

const percent = '%'.charCodeAt(0)

/** UTF-8, with the byte for each `%` and two hex digits; any other `%` stands for itself. */
function percentDecoded(text: string): Uint8Array {
  const from = Buffer.from(text, 'utf8')
  if (!from.includes(percent)) return from
  const bytes = Buffer.allocUnsafe(from.length)
  let length = 0
  for (let at = 0; at < from.length; at++) {
    const byte = from[at] ?? 0
    const high = byte === percent ? digitOf(from[at + 1]) : null
    const low = high === null ? null : digitOf(from[at + 2])
    bytes[length++] = high === null || low === null ? byte : high * 16 + low
    if (low !== null) at += 2
  }
  return bytes.subarray(0, length)
}

/** Of an ASCII hex digit; null of any other byte. */
function digitOf(byte: number | undefined): number | null {
  if (byte === undefined) return null
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : null
}
