import { contractOf } from '../../libs/queries/contract-abis.ts'
import { type InstanceKey, instanceKey } from '../../libs/queries/instances.ts'
import { rateHours } from '../../libs/topics/families.ts'
import type { Asks } from './asks.ts'
import type { Dependencies } from './dependencies.ts'
import { isSettled } from './settled.ts'

/**
 * The same asks; what their answers depend on is written down, so that no answer can forget it.
 * Tables that are not named here are covered by others: see `coveredBy`.
 */
export function recordedAsks(asks: Asks, on: Dependencies, headBlock: number): Asks {
  async function unlessSettled<R extends { readonly blockNumber: number }>(
    [family, subject]: readonly [string, string],
    asked: Parameters<typeof isSettled>[0],
    asking: Promise<readonly R[]>,
  ): Promise<readonly R[]> {
    const rows = await asking
    if (!isSettled(asked, rows, headBlock)) on.on(family, [subject])
    return rows
  }

  const instances = (keys: readonly InstanceKey[]) => keys.map(instanceKey)

  return {
    ...recordedLooks(asks, on),
    balancesOfAddress(asked) {
      on.on('balances_by_value', [asked.holder])
      return asks.balancesOfAddress(asked)
    },
    ratedBalancesOfAddress(asked) {
      on.on('balances_by_value', [asked.holder])
      return asks.ratedBalancesOfAddress(asked)
    },
    ratesOfHour(hour) {
      on.on('token_rates', [rateHours])
      return asks.ratesOfHour(hour)
    },
    transactionsOfAddress(asked) {
      const list = ['transactions_by_address', asked.address] as const
      if (asked.sort === 'block_number') {
        return unlessSettled(list, asked, asks.transactionsOfAddress(asked))
      }
      on.on(list[0], [list[1]])
      return asks.transactionsOfAddress(asked)
    },
    nftsOfAddress(asked) {
      on.on('nfts_by_owner', [asked.owner])
      return asks.nftsOfAddress(asked)
    },
    transfersOfToken: (asked) =>
      unlessSettled(
        ['transfers_by_token', asked.token],
        { ...asked, order: 'desc' },
        asks.transfersOfToken(asked),
      ),
    logsOfAddress: (asked) =>
      unlessSettled(
        ['logs_by_address', asked.address],
        { ...asked, order: 'desc' },
        asks.logsOfAddress(asked),
      ),
    transfersOfTransaction(asked) {
      on.on('transfers_by_transaction', [asked.hash])
      return asks.transfersOfTransaction(asked)
    },
    holdersOfToken(asked) {
      on.on('holders', [asked.token])
      return asks.holdersOfToken(asked)
    },
    instanceStates(keys) {
      on.on('instances', instances(keys))
      return asks.instanceStates(keys)
    },
    instanceFacts(keys) {
      on.on('instance_metadata', instances(keys))
      return asks.instanceFacts(keys)
    },
  }
}

/** What is looked up by keys that stand in a table's key as they are. */
function recordedLooks(asks: Asks, on: Dependencies) {
  const looked = <K extends string, R>(family: string, ask: (keys: readonly K[]) => R) => {
    return (keys: readonly K[]): R => {
      on.on(family, keys)
      return ask(keys)
    }
  }
  return {
    tokenStates: looked('token_state', asks.tokenStates),
    addressStates: looked('address_state', asks.addressStates),
    tokenFacts: looked('token_market', asks.tokenFacts),
    addressFacts: looked('address_labels', asks.addressFacts),
    abiEntries: ((keys) => {
      on.on('contract_abis', keys.map(contractOf))
      return asks.abiEntries(keys)
    }) satisfies Asks['abiEntries'],
    signatures: looked('signatures', asks.signatures),
    coinPrices: looked('prices', asks.coinPrices),
    transactions: looked('transactions', asks.transactions),
    places: looked('transactions', asks.places),
    firstTransfers: ((hashes, limitPer) => {
      on.on('transfers_by_transaction', hashes)
      return asks.firstTransfers(hashes, limitPer)
    }) satisfies Asks['firstTransfers'],
    logsOfTransaction: ((hash, limit) => {
      on.on('logs_by_transaction', [hash])
      return asks.logsOfTransaction(hash, limit)
    }) satisfies Asks['logsOfTransaction'],
  }
}
