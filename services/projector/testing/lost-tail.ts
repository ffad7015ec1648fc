import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import type { MemoryStore } from './memory-store.ts'
import { applied, hashOf, observed } from './messages.ts'
import type { Stream } from './stream.ts'
import { sent, toyGroup } from './toy-group.ts'
import { type Life, memoryWorld, World } from './world.ts'

export const block = (sequence: number, number: number) =>
  applied(sequence, {
    number,
    hash: hashOf(`a${number}`),
    parentHash: hashOf(`a${number - 1}`),
    senders: [1, 1 + (number % 3)],
  })

export const blocks = (count: number) =>
  Array.from({ length: count }, (_, at) => block(at + 1, at + 1))

export const seen = (sequence: number, number: number) =>
  observed(sequence, { block: number, hash: hashOf(`a${number}`), holders: [9] })

export const streamed = (canonical: readonly BlocksMessage[]): Stream => ({
  canonical,
  wire: canonical.map(encodeMessage),
})

/** What was folded of one log, in a world whose log is another one from somewhere on. */
export async function afterLoss(
  old: Stream,
  limits = {},
  kill: Pick<Life, 'killedAtStep' | 'killedAtInsert' | 'stepTurns'> = {},
): Promise<World<MemoryStore>> {
  const world = memoryWorld(toyGroup, [sent])
  await world.hear(old.wire)
  await world.live(old.canonical.length, { limits, ...kill })
  return new World(toyGroup, { ...world, eventLog: memoryEventLog() })
}
