import { readdirSync } from 'node:fs'
import type { Store } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { knowledgeOf } from '../../test/oracle/knowledge.ts'
import { type Subjects, subjectsOf } from '../../test/oracle/subjects.ts'
import { mainnetId, mainnetMessages } from '../../test/support/mainnet-messages.ts'
import { mainnetFolder } from '../../test/support/mainnet-truth.ts'

/** Those of `test/mainnet` that follow each other. */
export async function realBlocks(): Promise<readonly BlocksMessage[]> {
  const numbers = readdirSync(mainnetFolder).flatMap((file) => /^\d+(?=\.json)/.exec(file) ?? [])
  return await mainnetMessages(numbers.map(Number).sort((a, b) => a - b))
}

/** Folds them. @returns their subjects, the busiest first */
export async function foldMainnet(store: Store): Promise<Subjects> {
  const messages = await realBlocks()
  const eventLog = memoryEventLog()
  const stored = messages.map((value) => ({ key: `${mainnetId}`, value: encodeMessage(value) }))
  await eventLog.append('blocks', stored)
  for (const group of [ledger, stateGroup]) {
    const projector = startProjector({ group, eventLog, store, state: memoryStateStore() })
    await projector.waitFor(messages.length)
    await projector.stop()
  }
  await eventLog.close()
  return subjectsOf(knowledgeOf(messages))
}
