import type { Hash } from '../../libs/chain/hex.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { type Accepted, accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import { PartAssembler } from '../../libs/topics/parts.ts'
import { type DecodedReader, decodedReader } from './decoded-reader.ts'
import { emptyPrefix, prefixAfter } from './log-prefix.ts'

/** Messages that are looked at: before the first that counts there may be some of lost races. */
const lookedAtMax = 64

interface FirstMessage {
  readonly accepted: Accepted
  /** Hash of the log up to it. */
  readonly prefix: Hash
}

/** The first message of `blocks` that is accepted; null if there is none, or it is not kept. */
export async function firstMessage(log: EventLog): Promise<FirstMessage | null> {
  // Not the shared reader, which makes the group that is ahead wait.
  const reader = decodedReader(log)
  const parts = new PartAssembler()
  const begin = await log.begin('blocks')
  const end = Math.min(await log.end('blocks'), begin + lookedAtMax)
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
