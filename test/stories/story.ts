import { afterAll } from 'vitest'
import type { Fact } from '../../libs/projections/testing/facts.ts'
import { logOf, testChain } from '../../libs/projections/testing/log-of.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type River, startRiver } from '../oracle/river.ts'

const started: River[] = []

afterAll(async () => {
  for (const river of started) await river.stop()
})

/** Publishes the facts to a log of their own; resolves when all of them can be read. */
export async function given(...facts: Fact[]): Promise<River> {
  const river = await startRiver(testChain)
  started.push(river)
  const messages = logOf(facts)
  const wire = messages.map((message) => ({ key: '1', value: encodeMessage(message) }))
  await river.log.append('blocks', wire)
  const head = messages.findLast(({ kind }) => kind === 'block.applied')
  if (head?.kind !== 'block.applied') throw new Error('facts without a block')
  await river.reached(messages.length, head.block.number)
  return river
}
