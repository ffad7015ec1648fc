import { expect, test } from 'vitest'
import { zeroAddress, zeroHash } from '../../../libs/chain/hex.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { ingestorLimits } from './ingestor-limits.ts'
import { LogMemory } from './log-memory.ts'

const applied = {
  kind: 'block.applied',
  sequence: 1,
  chainId: 1,
  tokens: [],
  contracts: [],
  block: {
    number: 7,
    hash: zeroHash,
    parentHash: zeroHash,
    timestamp: 5,
    parentTimestamp: null,
    miner: zeroAddress,
    gasLimit: 0n,
    gasUsed: 0n,
    baseFeePerGas: null,
    transactions: [],
  },
}

test('a memory of another format is forgotten, and read from the log again', async () => {
  const eventLog = memoryEventLog()
  await eventLog.append('blocks', [{ key: '1', value: encodeMessage(applied) }])
  const state = memoryStateStore()
  const options = { eventLog, state, limits: ingestorLimits }
  const first = await LogMemory.open(options)
  await first.save()
  for (const { key, value } of [...state.scan(Buffer.from('memory'), 1)]) {
    const { format: _, accepted, ...rest } = JSON.parse(value.toString())
    const older = { ...rest, accepted: { ...accepted, sequence: 99 } }
    await state.commit([[key, Buffer.from(JSON.stringify({ ...older, format: 0 }))]])
    expect((await LogMemory.open(options)).accepted).toEqual(first.accepted)
    await state.commit([[key, Buffer.from(JSON.stringify({ sequence: 99 }))]])
    expect((await LogMemory.open(options)).accepted).toEqual(first.accepted)
  }
  expect(first.accepted.head?.number).toBe(7)
})
