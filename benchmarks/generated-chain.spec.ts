import { expect, it } from 'vitest'
import { stateGroup } from '../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../libs/projections/testing/law.ts'
import { tokenState } from '../libs/tables/tables/tokens.ts'
import { generatedChain } from './generated-chain.ts'
import { peerChain } from './peer/peer-chain.ts'

const shape = { seed: 1, transfers: 2_000, transfersPerBlock: 50, tokens: 40, accounts: 100 }
const peerShape = { blocks: 20, transfersPerBlock: 50, accounts: 100 }

// Contract 36: of a token that the log does not create only observed balances are shown.
it.each([
  ['generated', [...generatedChain(shape)]],
  ['peer', [...peerChain(peerShape)]],
])('every token of the %s chain has a complete history', (_, messages) => {
  const group = new InMemoryGroup(stateGroup)
  group.fold(messages)
  const transactions = messages.flatMap(({ block }) => block.transactions)
  const tokens = new Set(transactions.flatMap(({ logs }) => logs.map(({ address }) => address)))
  const rows = group.tables.rowsOf(tokenState.name)
  expect(rows).toHaveLength(tokens.size)
  const complete = { isComplete: true, shownSince: 0, holdersCount: expect.any(Number) }
  for (const row of rows) expect(row).toMatchObject(complete)
})

it('numbers the transactions of a block in their order', () => {
  for (const chain of [generatedChain(shape), peerChain(peerShape)]) {
    for (const { block } of chain) {
      const { transactions } = block
      expect(transactions.map(({ index }) => index)).toEqual([...transactions.keys()])
      expect(new Set(transactions.map(({ hash }) => hash)).size).toBe(transactions.length)
    }
  }
})
