import { expect, it } from 'vitest'
import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { addressState } from '../../libs/tables/tables/addresses.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { consecutiveBlocks } from '../support/mainnet-block.ts'
import { mainnetFolder } from '../support/mainnet-truth.ts'

/** Calls with input in the real blocks, and those whose recipient is known to be a contract. */
function callsIn(messages: readonly BlocksMessage[]) {
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(messages)
  const contracts = new Set(
    runner.tables.rowsOf(addressState.name).flatMap((row) => ('address' in row ? row.address : [])),
  )
  const calls = messages
    .flatMap((it) => (it.kind === 'block.applied' ? it.block.transactions : []))
    .filter(({ to, input }) => to !== null && input !== '0x')
  return [calls.length, calls.filter(({ to }) => contracts.has(to)).length]
}

it('knows nearly every recipient of a call as a contract, though a third emits no log', async () => {
  const source = await folderSource({ folder: mainnetFolder })
  const eventLog = memoryEventLog()
  const ingestor = await startInMemory({ source, eventLog, fromBlock: consecutiveBlocks[0] })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  const { accepted } = await chainInLog(eventLog)
  expect(callsIn(accepted)).toEqual([1_616, 1_604])
  const untold = accepted.map((it) => ('contracts' in it ? { ...it, contracts: [] } : it))
  expect(callsIn(untold)).toEqual([1_616, 1_604 - 682])
})
