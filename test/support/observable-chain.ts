import type { Observation } from '../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { depositLog, transferLog } from '../../libs/projections/testing/facts.ts'
import type { IngestorOptions } from '../../services/ingestor/ingestor.ts'
import { type InMemory, startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from './chain-in-log.ts'
import { SourceOfValues, tokenAddress } from './source-of-values.ts'

export const coin = tokenAddress(7)
export const other = tokenAddress(8)
export const [alice, bob] = [tokenAddress(0xa), tokenAddress(0xb)]
const logOf = (fact: ReturnType<typeof depositLog>) => ({ ...fact, index: 0 })
export const deposit = (token: Address, holder: Address) => logOf(depositLog(token, holder, 3n))
export const transfer = (token: Address, ends: readonly [Address, Address]) =>
  logOf(transferLog(token, ends, 2n))

/** Publishes a source that ends. @returns the kinds of its messages, and what was observed */
export async function observations(options: InMemory<IngestorOptions>) {
  // Without samples and sweeps, whose specs are their own.
  const limits = { sampledCallsMax: 0, sweptPairsMax: 0, ...options.limits }
  const ingestor = await startInMemory({ ...options, limits })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  const { accepted, skipped } = await chainInLog(options.eventLog)
  if (skipped.length > 0) throw new Error(`readers skip: ${skipped.join(', ')}`)
  return accepted.map((it) =>
    it.kind === 'state.observed' ? `${it.block}: ${it.balances.map(wordsOf).join(', ')}` : it.kind,
  )
}

const wordsOf = ({ token, holder, value }: Observation['balances'][number]) =>
  `${nameOf(token)} ${nameOf(holder)} ${value}`
/** The last digit. */
export const nameOf = (address: Address) => address.slice(-1)

/** A node that knows the balances of two people in two coins: 0 and 1. */
export function observableChain(): SourceOfValues {
  const source = new SourceOfValues()
  for (const token of [coin, other]) {
    for (const [at, holder] of [alice, bob].entries())
      source.balances.set(token + holder, BigInt(at))
  }
  source.balances.set(coin + zeroAddress, 9n)
  return source
}
