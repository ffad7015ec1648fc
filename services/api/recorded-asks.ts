import { type InstanceKey, instanceKey } from '../../libs/queries/instances.ts'
import { namesOf } from '../../libs/topics/families.ts'
import type { Asks } from './asks.ts'
import type { Dependencies } from './dependencies.ts'

/** Blocks below the head that no reorganisation reaches. */
const settledDepth = 256

interface Listed {
  readonly after: object | null
  readonly limit: number
}

/**
 * The same asks; what their answers depend on is written down, so that no answer can forget it.
 * Tables that are not named here are covered by others: see `coveredBy`.
 */
export function recordedAsks(asks: Asks, on: Dependencies, headBlock: number): Asks {
  /**
   * A full page after a cursor whose rows, the first of the next page too, are out of the reach of
   * reorganisations stays what it is: what comes new to a list by block comes before it or behind.
   */
  async function unlessSettled<R extends { readonly blockNumber: number }>(
    [family, subject]: readonly [string, string],
    { after, limit }: Listed,
    asking: Promise<readonly R[]>,
  ): Promise<readonly R[]> {
    const rows = await asking
    const isDeep = rows.every(({ blockNumber }) => blockNumber <= headBlock - settledDepth)
    if (after === null || rows.length < limit || !isDeep) on.on(family, [subject])
    return rows
  }

  const instances = (keys: readonly InstanceKey[]) => keys.map(instanceKey)

  return {
    ...recordedLooks(asks, on),
    balancesOfAddress(asked) {
      on.on('balances_by_value', [asked.holder])
      return asks.balancesOfAddress(asked)
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
      unlessSettled(['transfers_by_token', asked.token], asked, asks.transfersOfToken(asked)),
    logsOfAddress: (asked) =>
      unlessSettled(['logs_by_address', asked.address], asked, asks.logsOfAddress(asked)),
    transfersOfTransaction(asked) {
      on.on('transfers_by_transaction', [asked.hash])
      // The filter looks at the standards of tokens, also of those that it leaves out.
      if (asked.standards !== null) on.onAnyOf(namesOf('token_state'))
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
