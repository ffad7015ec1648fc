import type { Reads } from '../reader/reads.ts'

const nothing = async () => []
const nobody = async () => new Map<never, never>()

/** Tables that are empty but for what a spec answers itself. */
export const fakeReads = (answers: Partial<Reads> = {}): Reads => ({
  balancesOfAddress: nothing,
  ratedBalancesOfAddress: nothing,
  ratesOfHour: async () => null,
  transactionsOfAddress: nothing,
  nftsOfAddress: nothing,
  transfersOfToken: nothing,
  logsOfAddress: nothing,
  transfersOfTransaction: nothing,
  holdersOfToken: nothing,
  tokenStates: nobody,
  addressStates: nobody,
  instanceStates: nobody,
  transactions: nobody,
  places: nobody,
  firstTransfers: nobody,
  logsOfTransaction: nothing,
  tokenFacts: nobody,
  addressFacts: nobody,
  instanceFacts: nobody,
  coinPrices: nobody,
  abiEntries: nobody,
  signatures: nobody,
  ...answers,
})
