import type { Pause } from '../chain/pauses.ts'
import { messageText } from './codec.ts'

/** An array of more elements is written element by element. */
const elementsAtOnceMax = 50
/** Characters of a piece, at least: a longer text is one piece. */
const pieceCharactersMin = 256 * 1024
const levelsMax = 6

/** What `encodeMessage` makes, in pieces with pauses between them. @throws if it is too long */
export async function encodeInPieces(
  message: object,
  { pause, bytesMax }: { readonly pause: Pause; readonly bytesMax: number },
): Promise<Buffer> {
  const pieces: Buffer[] = []
  let text: string[] = []
  let [characters, bytes] = [0, 0]
  const cut = () => {
    const piece = Buffer.from(text.join(''), 'utf8')
    pieces.push(piece)
    bytes += piece.length
    text = []
    characters = 0
  }
  for (const token of tokensOf(message, levelsMax)) {
    text.push(token)
    characters += token.length
    if (characters < pieceCharactersMin) continue
    cut()
    if (bytes > bytesMax) throw new RangeError(`more than ${bytesMax} bytes`)
    await pause()
  }
  cut()
  return Buffer.concat(pieces)
}

function* tokensOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || !isLong(value, levels)) {
    yield messageText(value)
  } else if (Array.isArray(value)) {
    let opening = '['
    for (const element of value) {
      yield opening
      yield* tokensOf(element, levels - 1)
      opening = ','
    }
    yield opening === '[' ? '[]' : ']'
  } else {
    let opening = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${opening}${JSON.stringify(name)}:`
      yield* tokensOf(member, levels - 1)
      opening = ','
    }
    yield opening === '{' ? '{}' : '}'
  }
}

/** Whether it has a long array or text, down to some levels. */
function isLong(value: object, levels: number): boolean {
  if (Array.isArray(value) && value.length > elementsAtOnceMax) return true
  if (levels === 0) return false
  return Object.values(value).some(
    (inner: unknown) =>
      (typeof inner === 'string' && inner.length > pieceCharactersMin) ||
      (typeof inner === 'object' && inner !== null && isLong(inner, levels - 1)),
  )
}
