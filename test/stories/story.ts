import { onTestFinished } from 'vitest'
import type { Fact } from '../../libs/projections/testing/facts.ts'
import { logOf, testChain } from '../../libs/projections/testing/log-of.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { type EmbeddedServices, startEmbedded } from '../oracle/embedded-services.ts'

/** Publishes the facts to a log of the running test; resolves when all of them can be read. */
export async function given(...facts: Fact[]): Promise<EmbeddedServices> {
  const embedded = await startEmbedded(testChain)
  onTestFinished(embedded.stop)
  const messages = logOf(facts)
  const wire = messages.map((message) => ({ key: '1', value: encodeMessage(message) }))
  await embedded.eventLog.append('blocks', wire)
  const head = messages.findLast(({ kind }) => kind === 'block.applied')
  if (head?.kind !== 'block.applied') throw new Error('facts without a block')
  await embedded.reached(messages.length, head.block.number)
  return embedded
}
