import { expect, it } from 'vitest'
import { address } from '../../libs/chain/hex.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { chainInLog } from '../../test/support/chain-in-log.ts'
import { SourceOfValues, tokenAddress } from '../../test/support/source-of-values.ts'
import type { IngestorLimits } from './memory/ingestor-limits.ts'
import { startInMemory } from './testing/start-in-memory.ts'

const made = tokenAddress(0xc0de)
const person = address(`0x${'1'.repeat(40)}`)

async function contractsSaid(
  source: SourceOfValues,
  {
    eventLog = memoryEventLog(),
    limits = {},
  }: {
    eventLog?: ReturnType<typeof memoryEventLog>
    limits?: Partial<IngestorLimits>
  } = {},
) {
  const ingestor = await startInMemory({ source, eventLog, limits: { retryMinMs: 0, ...limits } })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  const { accepted } = await chainInLog(eventLog)
  return accepted.flatMap((it) =>
    it.kind === 'block.applied' || it.kind === 'block.reverted'
      ? [[it.kind, it.block.number, ...it.contracts]]
      : [],
  )
}

it('reports which recipients of calls have code, until their first block is deep', async () => {
  const source = new SourceOfValues()
  source.code.set(made, 'own')
  source.grow(1)
  source.call = { to: made, input: '0x12345678' }
  for (let each = 0; each < 4; each++) source.grow(1)
  expect(await contractsSaid(source, { limits: { firstSightDepthMax: 2 } })).toEqual([
    ['block.applied', 0],
    ['block.applied', 1, made],
    ['block.applied', 2, made],
    ['block.applied', 3],
    ['block.applied', 4],
  ])
  expect(source.askedForCode).toEqual([[1, [made]]])
})

it('queries no recipient without input, and reports none without code', async () => {
  const source = new SourceOfValues()
  source.code.set(made, 'own')
  source.call = { to: made, input: '0x' }
  source.grow(1)
  source.call = { to: person, input: '0x01' }
  source.grow(1)
  expect(await contractsSaid(source)).toEqual([
    ['block.applied', 0],
    ['block.applied', 1],
  ])
  expect(source.askedForCode).toEqual([[1, [person]]])
})

it('queries and reports again after a fork, and reverts with the orphan what it reported', async () => {
  const source = new SourceOfValues()
  const eventLog = memoryEventLog()
  source.code.set(made, 'own')
  source.call = { to: made, input: '0x01' }
  source.grow(1)
  source.grow(1)
  await contractsSaid(source, { eventLog })
  source.fork(1, 2, 2)
  expect(await contractsSaid(source, { eventLog })).toEqual([
    ['block.applied', 0, made],
    ['block.applied', 1, made],
    ['block.reverted', 1, made],
    ['block.applied', 1, made],
    ['block.applied', 2, made],
  ])
})

const proving = (source: SourceOfValues) => {
  source.call = { to: made, input: '0x' }
  source.grow(1)
  source.grow(1)
  source.block = async (number) => {
    const block = source.blocks.get(number)
    return block ? { ...block, contracts: [made] } : null
  }
  return source
}
const toldOfBoth = [
  ['block.applied', 0, made],
  ['block.applied', 1, made],
]

it('accepts the proof of code in a block, whether or not the source has the state', async () => {
  expect(await contractsSaid(proving(new SourceOfValues()))).toEqual(toldOfBoth)
  const silent = proving(new SourceOfValues())
  silent.codes = async () => new Map()
  expect(await contractsSaid(silent)).toEqual(toldOfBoth)
})

it('believes no block where the code that ran is a delegate’s', async () => {
  const source = proving(new SourceOfValues())
  source.code.set(made, 'delegated')
  expect((await contractsSaid(source)).flat()).not.toContain(made)
})

it('asks again for whom it had to forget', async () => {
  const source = new SourceOfValues()
  source.code.set(made, 'own')
  for (const to of [made, person, made]) {
    source.call = { to, input: '0x01' }
    source.grow(1)
  }
  const limits = { recipientsMax: 1, blocksAheadMax: 1 }
  expect(await contractsSaid(source, { limits })).toEqual([
    ['block.applied', 0, made],
    ['block.applied', 1],
    ['block.applied', 2, made],
  ])
  const asked = [made, person, made].map((to, block) => [block, [to]])
  expect(source.askedForCode).toEqual(asked)
})
