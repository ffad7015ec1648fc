import { expect, test } from 'vitest'
import { namedEntities } from '../../libs/projections/entities/named-entities.ts'
import type { EntityName } from '../../libs/projections/group.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { foldedAtOnce } from '../../libs/projections/testing/folded-at-once.ts'
import { MemoryState } from '../../libs/projections/testing/memory-state.ts'
import { mainnetMessages } from '../support/mainnet-messages.ts'

/** Two real blocks in a row: about 400 transactions. */
const blocks = [17_686_110, 17_686_111]
/** The rest follows from what is read. */
const foretoldMin = 0.7
const readMin = 0.9

const nameOf = ({ entity, id }: EntityName) => `${entity.tag} ${id}`

test('a block names most of what its fold reads, and little else', async () => {
  const state = new MemoryState()
  let [reads, named, foretold] = [0, 0, 0]
  for (const message of await mainnetMessages(blocks)) {
    if (message.kind === 'block.reverted') throw new Error('no block is reverted here')
    const names = new Set([...namedEntities(state, message)].map(nameOf))
    const read = new Set<string>()
    const spy: Pick<MemoryState, 'get'> = {
      get(entity, id) {
        read.add(nameOf({ entity, id }))
        return state.get(entity, id)
      },
    }
    state.write(foldedAtOnce(stateGroup.change(spy, message)))
    if (message.kind !== 'block.applied') continue
    reads += read.size
    named += names.size
    foretold += [...read].filter((name) => names.has(name)).length
  }
  expect(reads).toBeGreaterThan(1_000)
  expect(foretold / reads).toBeGreaterThan(foretoldMin)
  expect(foretold / named).toBeGreaterThan(readMin)
})
