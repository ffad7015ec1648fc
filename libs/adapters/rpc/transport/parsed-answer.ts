import { jsonInPieces } from '../../../chain/json-in-pieces.ts'
import { pauses } from '../../../chain/pauses.ts'

/** Bytes of an answer that is parsed at once, in some five milliseconds. */
const shortBytesMax = 1024 * 1024

export const isShort = (answer: Buffer): boolean => answer.length <= shortBytesMax

/** @throws SyntaxError */
export const parsedAtOnce = (answer: Buffer): unknown => JSON.parse(answer.toString())

/** The same, with pauses: the receipts of a block may have 100 MB. @throws SyntaxError */
export const parsedInPieces = (answer: Buffer): Promise<unknown> =>
  jsonInPieces(answer, { keep: (_path, element) => element, pause: pauses() })
