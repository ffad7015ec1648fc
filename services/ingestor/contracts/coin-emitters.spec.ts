import { expect, it } from 'vitest'
import { address } from '../../../libs/chain/hex.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../../test/support/source-of-values.ts'
import type { IngestorOptions } from '../ingestor.ts'
import { published } from '../testing/published.ts'

const system = address('0xfffffffffffffffffffffffffffffffffffffffe')
const other = tokenAddress(7)

/** A chain whose only block has a transfer log of each emitter; what is published, and asked. */
async function publishing(options: Partial<IngestorOptions>) {
  const source = new SourceOfValues()
  source.grow(1, [system, other])
  const eventLog = memoryEventLog()
  expect(await published({ source, eventLog, ...options })).toBeNull()
  const [message] = (await chainInLog(eventLog)).accepted
  const emitters = message?.kind === 'block.applied' ? message.block.coinEmitters : null
  return { emitters, asked: source.asked.flatMap(([, tokens]) => tokens) }
}

it('queries no metadata of the coin, whose emitter is not written (decision 63)', async () => {
  expect(await publishing({})).toEqual({ emitters: undefined, asked: [other] })
})

it('writes other emitters of the coin with each block', async () => {
  const coinEmitters = [system, other]
  expect(await publishing({ coinEmitters })).toEqual({ emitters: coinEmitters, asked: [] })
  expect(await publishing({ coinEmitters: [] })).toEqual({ emitters: [], asked: [system, other] })
})
