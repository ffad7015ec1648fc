import { type Standard, standards } from '../../chain/token.ts'
import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'

/** A token. Its id: the 40 digits of its address. */
export interface Token {
  ordinal: number
  /** Null while its standard is unknown, for example if it was only observed. */
  standard: Standard | null
  name: string | null
  symbol: string | null
  decimals: number | null
  /** The block of its metadata; -1 before. */
  describedAt: number
  /** Smallest units, or the count of a collection; null if unknown. */
  supply: bigint | null
  /** The last block whose mints and burns `supply` holds; -1 before. */
  supplyAt: number
  /** Distinct addresses whose balance is known and above zero. */
  holders: number
  /** What they hold together, ids of ERC-1155 and ERC-404 not counted. */
  held: bigint
  /** ERC-721: ids that were burned. Some contracts still count them in their supply. */
  burned: number
  /** Pairs whose balance is not known: while there are any, its holders cannot be counted. */
  unknowns: number
  /** The log holds its whole history. */
  isComplete: boolean
  /** What is known of a token that transfers do not explain; see `doubt.ts`. */
  verdict: Verdict
  /** Only what was observed after this block or a later one is shown; 0: all that is known. */
  shownSince: number
  /** The last block that called it, or in which it logged anything; kept while in doubt. */
  calledAt: number
  /** Pairs that were found to be as transfers say, since it is in doubt. */
  confirmed: number
  /** Numbers of its `unlisted` ones: the first one left, and the next to give. */
  unlistedFrom: number
  unlistedTo: number
  /** Transfers that are kept until the contract has said what it is. */
  early: number
  /** The contract has said what it is: its standard does not change any more. */
  isSettled: boolean
  /** Until it is settled: all that is known of it follows from the transfers that are kept. */
  isRepeatable: boolean
  /** Logs of another form than its standard's have moved ids. */
  isMixed: boolean
  /** Ids of the ERC-721 form were read as amounts. */
  hasIndexedAmounts: boolean
  /** The chain's `knownFrom` when it was written. */
  knownFrom: number
}

/**
 * `open`: something proves that transfers do not explain it. `sound`: a sample says that they
 * explain all but what deviated. `deviating`: they do not. `restless`: its balances also change
 * while nobody calls it, so that no value is known to be still right.
 */
export const verdicts = ['none', 'open', 'sound', 'deviating', 'restless'] as const
export type Verdict = (typeof verdicts)[number]

/** The token after a gap in the log: its identity is known, its amounts are not. */
export const forgottenToken = (token: Token): Token => ({
  ...token,
  supply: null,
  holders: 0,
  held: 0n,
  isComplete: false,
  isRepeatable: false,
})

const flag = { complete: 8, supply: 16, decimals: 32, name: 64, symbol: 128 } as const
const formFlag = { settled: 1, repeatable: 2, mixed: 4, indexed: 8, burned: 16 } as const

/** Standards are stored as 1 .. 4, none as 0. */
export const standardCode = (standard: Standard | null): number =>
  standard === null ? 0 : standards.indexOf(standard) + 1
export const standardOfCode = (code: number): Standard | null => standards[code - 1] ?? null

const verdictAt = (index: number): Verdict => verdicts[index] ?? 'none'

function flagsOf(token: Token): number {
  let flags = standardCode(token.standard)
  if (token.isComplete) flags |= flag.complete
  if (token.supply !== null) flags |= flag.supply
  if (token.decimals !== null) flags |= flag.decimals
  if (token.name !== null) flags |= flag.name
  if (token.symbol !== null) flags |= flag.symbol
  return flags
}

function formFlagsOf(token: Token): number {
  let flags = token.isSettled ? formFlag.settled : 0
  if (token.isRepeatable) flags |= formFlag.repeatable
  if (token.isMixed) flags |= formFlag.mixed
  if (token.hasIndexedAmounts) flags |= formFlag.indexed
  if (token.burned > 0) flags |= formFlag.burned
  return flags
}

function formsIn(reader: BinaryReader) {
  const flags = reader.byte()
  return {
    isSettled: (flags & formFlag.settled) !== 0,
    isRepeatable: (flags & formFlag.repeatable) !== 0,
    isMixed: (flags & formFlag.mixed) !== 0,
    hasIndexedAmounts: (flags & formFlag.indexed) !== 0,
    burned: flags & formFlag.burned ? reader.integer() : 0,
  }
}

export const tokenEntity: Entity<Token> = {
  name: 'token',
  tag: 0x02,
  encode(token) {
    writer.byte(flagsOf(token)).integer(token.ordinal).integer(token.holders)
    writer.integer(token.describedAt + 1).integer(token.supplyAt + 1)
    writer.integer(token.unlistedFrom).integer(token.unlistedTo).integer(token.knownFrom)
    writer.byte(verdicts.indexOf(token.verdict)).integer(token.shownSince)
    writer
      .integer(token.calledAt + 1)
      .integer(token.confirmed)
      .integer(token.unknowns)
    writer.integer(token.early).byte(formFlagsOf(token))
    if (token.burned > 0) writer.integer(token.burned)
    writer.amount(token.held)
    if (token.supply !== null) writer.amount(token.supply)
    if (token.decimals !== null) writer.byte(token.decimals)
    if (token.name !== null) writer.text(token.name)
    if (token.symbol !== null) writer.text(token.symbol)
    return writer.done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    return {
      standard: standardOfCode(flags & 7),
      isComplete: (flags & flag.complete) !== 0,
      ordinal: reader.integer(),
      holders: reader.integer(),
      describedAt: reader.integer() - 1,
      supplyAt: reader.integer() - 1,
      unlistedFrom: reader.integer(),
      unlistedTo: reader.integer(),
      knownFrom: reader.integer(),
      verdict: verdictAt(reader.byte()),
      shownSince: reader.integer(),
      calledAt: reader.integer() - 1,
      confirmed: reader.integer(),
      unknowns: reader.integer(),
      early: reader.integer(),
      ...formsIn(reader),
      held: reader.amount(),
      supply: flags & flag.supply ? reader.amount() : null,
      decimals: flags & flag.decimals ? reader.byte() : null,
      name: flags & flag.name ? reader.text() : null,
      symbol: flags & flag.symbol ? reader.text() : null,
    }
  },
}
