import { createHash } from 'node:crypto'
import { type Hash, hash } from '../../libs/chain/hex.ts'
import { type Accepted, accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import type { ReadMessage } from './decoded-reader.ts'

/**
 * Hash of a log's prefix: of each accepted message's bytes, chained. Sequences and block hashes are
 * not enough: brokers that lose acknowledged messages are given others instead, of the same
 * sequences, which may end in the same block.
 */
export const emptyPrefix: Hash = hash(`0x${'00'.repeat(32)}`)

export function prefixAfter(before: Hash, message: Hash): Hash {
  const sum = createHash('sha256').update(before).update(message)
  return hash(`0x${sum.digest('hex')}`)
}

/** The topic has other messages than the volume, or the tables, were folded from. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced'
}

/** Resume point of a volume, which the log must lead to. */
export interface Place {
  readonly accepted: Pick<Accepted, 'sequence'>
  readonly prefix: Hash
}

/**
 * Reads a log from its beginning up to where a volume stands, folding nothing: a mirror leads to
 * the same prefix at other offsets; a log whose tail was lost does not.
 */
export class PrefixProof {
  readonly #place: Place
  #accepted: Accepted = nothingAccepted
  #prefix = emptyPrefix

  constructor(place: Place) {
    this.#place = place
  }

  /** Up to where the log was read. */
  get read(): { readonly accepted: Accepted; readonly prefix: Hash } {
    return { accepted: this.#accepted, prefix: this.#prefix }
  }

  /** The next message of the log. */
  take({ decoded, hash }: ReadMessage): 'skipped' | 'accepted' | 'same' | 'other' {
    if ('invalid' in decoded) return 'skipped'
    const decision = accept(this.#accepted, decoded.message)
    if (decision.fate === 'skipped') return 'skipped'
    this.#accepted = decision.next
    this.#prefix = prefixAfter(this.#prefix, hash)
    if (this.#accepted.sequence < this.#place.accepted.sequence) return 'accepted'
    return this.#prefix === this.#place.prefix ? 'same' : 'other'
  }
}
