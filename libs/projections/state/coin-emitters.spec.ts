import { describe, expect } from 'vitest'
import { address } from '../../chain/hex.ts'
import { addressState } from '../../tables/tables/addresses.ts'
import { balances } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { logsByAddress } from '../../tables/tables/logs.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import { transactions } from '../../tables/tables/transactions.ts'
import { transfersByToken } from '../../tables/tables/transfers.ts'
import { BlockTransfers } from '../ledger/transfers.ts'
import {
  addressWord,
  alice,
  type BlockFact,
  bob,
  contract,
  depositLog,
  emitted,
  type LogFact,
  nftLog,
  transferLog,
  words,
} from '../testing/facts.ts'
import { type Given, given, law } from '../testing/law.ts'
import { logOf } from '../testing/log-of.ts'

const system = address('0xfffffffffffffffffffffffffffffffffffffffe')
const other = contract(7)
const ends = [alice, bob] as const

const paid = (emitter = system) => transferLog(emitter, ends, 5n)
/** The second log of EIP-7708: coins that were burned. */
const burn: LogFact = {
  address: system,
  topics: [addressWord(contract(9)), addressWord(alice)],
  data: words(3n),
}

const showsLogsOnly = (facts: Given, count: number): Given =>
  facts
    .shows(
      logsByAddress,
      Array.from({ length: count }, () => ({})),
    )
    .shows(transfersByToken, [])
    .shows(tokenState, [])
    .shows(balances, [])
    .shows(holders, [])
    .shows(addressState, [])

const naming = (fact: BlockFact, ...coinEmitters: (typeof system)[]): BlockFact => ({
  ...fact,
  coinEmitters,
})

describe('logs of the coin itself are logs and nothing else (decision 63)', () => {
  law('whatever their form', () =>
    showsLogsOnly(
      given(emitted(paid(), burn, nftLog(system, ends, 1n), depositLog(system, alice, 3n))),
      4,
    ).shows(transactions, [{ transfersCount: 0, firstTransfers: '0x', actions: '[]' }]),
  )

  law('of the emitters that their block names, and of no others', () => {
    showsLogsOnly(given(naming(emitted(paid(other)), system, other)), 1)
    given(naming(emitted(paid(other)), system)).shows(transfersByToken, [{ token: other }])
    given(naming(emitted(paid()))).shows(transfersByToken, [{ token: system }])
  })

  law('so that a change of the setting leaves older blocks as they are', () =>
    given(emitted(paid(other)), naming(emitted(paid(other)), other)).shows(transfersByToken, [
      { blockNumber: 1 },
    ]),
  )

  law('beside the transfers of tokens, which keep their places', () => {
    const [message] = logOf([emitted(paid(), transferLog(other, ends, 1n))], 1)
    if (message?.kind !== 'block.applied') throw new Error('no block')
    const [transaction] = message.block.transactions
    const found = transaction && [...new BlockTransfers(message.block).of(transaction)]
    expect(found).toMatchObject([{ token: other, logIndex: 1 }])
  })
})
