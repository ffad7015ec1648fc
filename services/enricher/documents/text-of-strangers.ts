import { toUSVString } from 'node:util'

/** The blank; controls, of which NUL pads what contracts return, come before it. */
const blank = 0x20
const noBreakSpace = 0xa0
const byteOrderMark = 0xfeff

/** Without blanks, controls and byte order marks at both ends, in one pass. */
export function withoutPadding(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isPadding(text.charCodeAt(start))) start++
  while (end > start && isPadding(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isPadding = (code: number) => code <= blank || code === noBreakSpace || code === byteOrderMark

/** A sentence for a fact or a log line: one line, well-formed, at most `charactersMax` long. */
export const sentenceOf = (text: string, charactersMax: number): string =>
  toUSVString(
    text
      // Before the rest, so that a long text takes no longer than a short one.
      .slice(0, charactersMax)
      // The first half of a pair that the cut has divided.
      .replace(/[\ud800-\udbff]$/, '')
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
  )
