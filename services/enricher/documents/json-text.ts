import { instanceMetadataValuesMax } from '../../../libs/presenters/objects/metadata-values.ts'
import { metadataCharactersMax } from '../../../libs/topics/facts/instance-facts.ts'
import { jsonDepthMax } from '../../../libs/topics/quantities.ts'

/**
 * Values of a document. The API shows a quarter of them at most, and to parse as many different
 * names as fit into a document holds up the process for a part of a second.
 */
const valuesMax = 4 * instanceMetadataValuesMax
/** Levels of a whole document: those that a fact may have in a member, and the document itself. */
const levelsMax = jsonDepthMax + 1

const [quote, backslash, minus] = [0x22, 0x5c, 0x2d]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [blank, comma] = [0x20, 0x2c]
const letterU = 0x75

/** A JSON text that can be parsed in little time, or why it is not. */
type BoundedJson = { readonly json: string } | { readonly refused: string }

/**
 * One pass over a text before `JSON.parse`, whose time grows with the square of the levels. It
 * checks levels, values and length, and mends two things that strangers send:
 * - Integers that a JavaScript number does not hold exactly, and numbers above its range, become
 *   strings of the digits that were sent.
 * - Controls in strings, such as raw line breaks, are escaped.
 *
 * Whether the text is JSON is left to the parser.
 */
export function boundedJson(text: string): BoundedJson {
  const edits: Edit[] = []
  let [at, levels, values, characters] = [0, 0, 1, 0]
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const string = skipString(text, at, edits)
      at = string.end
      characters += string.characters
    } else if (code === minus || isDigit(code)) {
      const end = skipNumber(text, at, edits)
      characters += end - at
      at = end
    } else {
      at++
      if (code <= blank) continue
      characters++
      if (code === openBrace || code === openBracket) levels++
      if (code === closeBrace || code === closeBracket) levels--
      if (code === comma || code === openBrace || code === openBracket) values++
      if (values > valuesMax) return { refused: `more than ${valuesMax} values` }
      if (levels > levelsMax) return { refused: `more than ${levelsMax} levels` }
    }
    if (characters > metadataCharactersMax) return { refused: tooLong }
  }
  return { json: edited(text, edits) }
}

/** Also of JSON that only turns out to be too long once it is printed again. */
export const tooLong = `more than ${metadataCharactersMax} characters`

interface Edit {
  readonly from: number
  readonly to: number
  readonly replacement: string
}

/** @returns where it ends, and how long it is as JSON at least: an escape may be a character */
function skipString(text: string, begin: number, edits: Edit[]) {
  let [at, characters] = [begin + 1, 2]
  for (; at < text.length && characters <= metadataCharactersMax; characters++) {
    const code = text.charCodeAt(at)
    if (code === quote) return { end: at + 1, characters }
    if (code === backslash) {
      at += text.charCodeAt(at + 1) === letterU ? '\\u0000'.length : 2
      continue
    }
    if (code < blank) {
      edits.push({ from: at, to: at + 1, replacement: `\\u${code.toString(16).padStart(4, '0')}` })
    }
    at++
  }
  return { end: at, characters }
}

const numberForm = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-/y

function skipNumber(text: string, begin: number, edits: Edit[]): number {
  numberForm.lastIndex = begin
  const literal = numberForm.exec(text)?.[0] ?? ''
  const end = begin + literal.length
  const value = Number(literal)
  const isExact = Number.isSafeInteger(value) || !/^-?\d+$/.test(literal)
  if (literal !== '-' && !(isExact && Number.isFinite(value))) {
    edits.push({ from: begin, to: end, replacement: `"${literal}"` })
  }
  return end
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

function edited(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text
  const pieces: string[] = []
  let at = 0
  for (const { from, to, replacement } of edits) {
    pieces.push(text.slice(at, from), replacement)
    at = to
  }
  return pieces.join('') + text.slice(at)
}
