import { address } from '../../../libs/chain/hex.ts'
import type {
  BlocksGroup,
  Entity,
  EntityChange,
  StateReader,
} from '../../../libs/projections/group.ts'
import { addressType as addressColumn, uint64 } from '../../../libs/tables/declare/columns.ts'
import { put, table } from '../../../libs/tables/declare/table.ts'

/** How often each address sent something: the smallest group that has a state. */
export const sent = table({
  name: 'sent',
  serves: 'the specs of the projector',
  group: 'state',
  source: 'blocks',
  key: { sender: addressColumn },
  columns: { count: uint64 },
  granularity: 512,
})

export const senders: Entity<number> = {
  name: 'sender',
  tag: 7,
  encode: (count) => Buffer.from(String(count)),
  decode: (bytes) => Number(bytes.toString()),
}

/** The ids of all senders, so that a gap finds them; its own id is empty. */
const roll: Entity<readonly string[]> = {
  name: 'roll',
  tag: 9,
  encode: (ids) => Buffer.from(ids.join(' ')),
  decode: (bytes) => bytes.toString().split(' '),
}

/** Counts senders of transactions and holders observed; a gap removes all, so that some do. */
export const toyGroup: BlocksGroup = {
  name: 'state',
  entities: [senders, roll],
  knownFrom: () => 0,
  repeatedCount: () => 0,
  *change(state, message) {
    switch (message.kind) {
      case 'block.applied':
        return counted(
          state,
          message.block.transactions.map((transaction) => transaction.from),
        )
      case 'state.observed':
        return counted(
          state,
          message.balances.map(({ holder }) => holder),
        )
      case 'gap.declared':
        return removed(state)
    }
  },
  rows: (_message, changes, position) => [
    changes.filter(isOfSender).map(({ id, before, after }) => {
      const isDeleted = after === undefined ? 1 : 0
      const count = Number(after ?? before)
      return put(sent, { sender: address(`0x${id}`), count, position, isDeleted })
    }),
  ],
}

const isOfSender = ({ entity }: EntityChange): boolean => entity.tag === senders.tag

function removed(state: StateReader): EntityChange[] {
  const met = state.get(roll, '')
  if (met === undefined) return []
  const counts = met.map((id) => changed(id, state.get(senders, id), undefined))
  return [...counts, { entity: roll, id: '', before: met, after: undefined } as EntityChange]
}

function counted(state: StateReader, addresses: readonly string[]): EntityChange[] {
  const met = state.get(roll, '')
  const ids = [...new Set([...(met ?? []), ...addresses.map((sender) => sender.slice(2))])]
  const meets = ids.length > (met?.length ?? 0)
  const rolled = { entity: roll, id: '', before: met, after: ids } as EntityChange
  return [...countsOf(state, addresses), ...(meets ? [rolled] : [])]
}

function countsOf(state: StateReader, addresses: readonly string[]): EntityChange[] {
  return [...new Set(addresses)].map((sender) => {
    const id = sender.slice(2)
    const before = state.get(senders, id)
    const times = addresses.filter((other) => other === sender).length
    return changed(id, before, (before ?? 0) + times)
  })
}

const changed = (id: string, before: number | undefined, after: number | undefined) =>
  ({ entity: senders, id, before, after }) as EntityChange
