import { contractOf } from '../../../libs/queries/contract-abis.ts'
import { type InstanceKey, instanceKey } from '../../../libs/queries/instances.ts'
import { rateHours } from '../../../libs/topics/families.ts'
import type { Dependencies } from '../invalidation/dependencies.ts'
import { isImmutable } from './immutable.ts'
import type { Reads } from './reads.ts'

/**
 * The same reads, which record what their results depend on, so that no answer can omit it.
 * Tables that are not named here are covered by others: see `coveredBy`.
 */
export function trackedReads(reads: Reads, on: Dependencies, headBlock: number): Reads {
  async function trackUnlessImmutable<R extends { readonly blockNumber: number }>(
    [family, subject]: readonly [string, string],
    options: Parameters<typeof isImmutable>[0],
    reading: Promise<readonly R[]>,
  ): Promise<readonly R[]> {
    const rows = await reading
    if (!isImmutable(options, rows, headBlock)) on.on(family, [subject])
    return rows
  }

  const instances = (keys: readonly InstanceKey[]) => keys.map(instanceKey)

  return {
    ...trackedLookups(reads, on),
    balancesOfAddress(options) {
      on.on('balances_by_value', [options.holder])
      return reads.balancesOfAddress(options)
    },
    ratedBalancesOfAddress(options) {
      on.on('balances_by_value', [options.holder])
      return reads.ratedBalancesOfAddress(options)
    },
    ratesOfHour(hour) {
      on.on('token_rates', [rateHours])
      return reads.ratesOfHour(hour)
    },
    transactionsOfAddress(options) {
      const list = ['transactions_by_address', options.address] as const
      if (options.sort === 'block_number') {
        return trackUnlessImmutable(list, options, reads.transactionsOfAddress(options))
      }
      on.on(list[0], [list[1]])
      return reads.transactionsOfAddress(options)
    },
    nftsOfAddress(options) {
      on.on('nfts_by_owner', [options.owner])
      return reads.nftsOfAddress(options)
    },
    transfersOfToken: (options) =>
      trackUnlessImmutable(
        ['transfers_by_token', options.token],
        { ...options, order: 'desc' },
        reads.transfersOfToken(options),
      ),
    logsOfAddress: (options) =>
      trackUnlessImmutable(
        ['logs_by_address', options.address],
        { ...options, order: 'desc' },
        reads.logsOfAddress(options),
      ),
    transfersOfTransaction(options) {
      on.on('transfers_by_transaction', [options.hash])
      return reads.transfersOfTransaction(options)
    },
    holdersOfToken(options) {
      on.on('holders', [options.token])
      return reads.holdersOfToken(options)
    },
    instanceStates(keys) {
      on.on('instances', instances(keys))
      return reads.instanceStates(keys)
    },
    instanceFacts(keys) {
      on.on('instance_metadata', instances(keys))
      return reads.instanceFacts(keys)
    },
  }
}

/** Lookups whose keys are the subjects of the table. */
function trackedLookups(reads: Reads, on: Dependencies) {
  const tracked = <K extends string, R>(family: string, read: (keys: readonly K[]) => R) => {
    return (keys: readonly K[]): R => {
      on.on(family, keys)
      return read(keys)
    }
  }
  return {
    tokenStates: tracked('token_state', reads.tokenStates),
    addressStates: tracked('address_state', reads.addressStates),
    tokenFacts: tracked('token_market', reads.tokenFacts),
    addressFacts: tracked('address_labels', reads.addressFacts),
    abiEntries: ((keys) => {
      on.on('contract_abis', keys.map(contractOf))
      return reads.abiEntries(keys)
    }) satisfies Reads['abiEntries'],
    signatures: tracked('signatures', reads.signatures),
    coinPrices: tracked('prices', reads.coinPrices),
    transactions: tracked('transactions', reads.transactions),
    places: tracked('transactions', reads.places),
    firstTransfers: ((hashes, limitPer) => {
      on.on('transfers_by_transaction', hashes)
      return reads.firstTransfers(hashes, limitPer)
    }) satisfies Reads['firstTransfers'],
    logsOfTransaction: ((hash, limit) => {
      on.on('logs_by_transaction', [hash])
      return reads.logsOfTransaction(hash, limit)
    }) satisfies Reads['logsOfTransaction'],
  }
}
