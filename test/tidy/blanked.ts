import { LRUCache } from 'lru-cache'

/** Files that several checks look at: scanned once, as that takes longer than to check them. */
const filesMax = 2_000
const scanned = new LRUCache<string, string>({ max: filesMax })

/** Where a slash after this begins a regular expression and not a division. */
const beforeRegex = /(?:^|[=(,:[!&|?{};+<>~^]|=>|\breturn|\btypeof|\bcase)\s*$/

/** Characters of the longest word of `beforeRegex`, and of what stands before it. */
const lookBehind = 8

/** All else is code that needs no look. */
const marks = /['"`/{}]/g

const lineEnd = /\n|$/g

/**
 * Source with the insides of comments, strings, templates and regular expressions replaced by
 * blanks, lines kept: what remains is code, so that a check on words meets no prose. Code inside
 * `${}` of a template is kept. A light scanner: enough for files that a formatter has laid out.
 */
export function blanked(source: string): string {
  const code = scanned.get(source) ?? scan(source)
  scanned.set(source, code)
  return code
}

function scan(source: string): string {
  let out = ''
  let at = 0
  /** For each open template substitution, how many braces are open inside. */
  const braces: number[] = []
  const take = (end: number, code: boolean) => {
    const piece = source.slice(at, end)
    out += code ? piece : piece.replace(/[^\n]/g, ' ')
    at = end
  }
  while (at < source.length) {
    const mark = nextMark(source, at)
    if (mark > at) take(mark, true)
    const char = source[at]
    const pair = source.slice(at, at + 2)
    const depth = braces.length - 1
    if (pair === '//') take(endOfLine(source, at), false)
    else if (pair === '/*') take(after(source, '*/', at + 2), false)
    else if (char === "'" || char === '"') take(endOfQuote(source, at, char), false)
    else if (char === '/' && regexMayFollow(out)) take(endOfRegex(source, at), false)
    else if (char === '`') template(1)
    else if (char === '}' && braces[depth] === 0) {
      braces.pop()
      template(1)
    } else {
      const count = braces[depth]
      if (count !== undefined && char === '{') braces[depth] = count + 1
      if (count !== undefined && char === '}') braces[depth] = count - 1
      take(at + 1, true)
    }
  }
  return out

  /** From a backtick or the end of a substitution to the next substitution or backtick. */
  function template(skip: number): void {
    let end = at + skip
    while (end < source.length && source[end] !== '`' && source.slice(end, end + 2) !== '${') {
      end += source[end] === '\\' ? 2 : 1
    }
    if (source[end] === '$') {
      braces.push(0)
      take(end + 2, false)
    } else take(end + 1, false)
  }
}

const regexMayFollow = (code: string) => beforeRegex.test(code.trimEnd().slice(-lookBehind))

function nextMark(source: string, at: number): number {
  marks.lastIndex = at
  return marks.exec(source)?.index ?? source.length
}

function endOfLine(source: string, at: number): number {
  lineEnd.lastIndex = at
  return lineEnd.exec(source)?.index ?? source.length
}

const after = (source: string, mark: string, at: number) => {
  const found = source.indexOf(mark, at)
  return found < 0 ? source.length : found + mark.length
}

function endOfQuote(source: string, from: number, quote: string): number {
  let at = from + 1
  while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfRegex(source: string, from: number): number {
  let at = from + 1
  let inClass = false
  while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true
    if (source[at] === ']') inClass = false
    at += source[at] === '\\' ? 2 : 1
  }
  return at + 1
}
