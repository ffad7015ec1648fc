import { createHash } from 'node:crypto'
import { type Hash, hash } from '../../../libs/chain/hex.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { type Accepted, accept, nothingAccepted } from '../../../libs/topics/acceptance.ts'
import { PartAssembler } from '../../../libs/topics/parts.ts'
import { type DecodedReader, decodedReader, type ReadMessage } from '../reading/decoded-reader.ts'

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
interface Place {
  readonly accepted: Pick<Accepted, 'sequence'>
  readonly prefix: Hash
}

/**
 * Reads a log from its beginning up to the position of a volume, folding nothing: a mirror contains
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

/** Messages that are looked at: before the first that counts there may be some of lost races. */
const lookedAtMax = 64

interface FirstMessage {
  readonly accepted: Accepted
  /** Hash of the log up to it. */
  readonly prefix: Hash
}

/** The first message of `blocks` that is accepted; null if there is none, or it is not kept. */
export async function firstMessage(eventLog: EventLog): Promise<FirstMessage | null> {
  // Not the shared reader, which makes the group that is ahead wait.
  const reader = decodedReader(eventLog)
  const parts = new PartAssembler()
  const begin = await eventLog.begin('blocks')
  const end = Math.min(await eventLog.end('blocks'), begin + lookedAtMax)
  for (let offset = begin; offset < end; offset++) {
    const read = await messageAt(reader, parts, offset)
    if (read === null || 'invalid' in read.decoded) continue
    const decision = accept(nothingAccepted, read.decoded.message)
    if (decision.fate === 'skipped') continue
    return { accepted: decision.next, prefix: prefixAfter(emptyPrefix, read.hash) }
  }
  return null
}

/** Null for a part, unless it is the last one. */
async function messageAt(reader: DecodedReader, parts: PartAssembler, offset: number) {
  const [read] = await reader.read(offset, { messagesMax: 1, bytesMax: 1 })
  if (read?.offset !== offset) return null
  if (!('part' in read)) return read
  const taken = parts.add(offset, read.part)
  if (!('whole' in taken)) return null
  return { hash: taken.whole.hash, decoded: await reader.whole(taken.whole) }
}
