import type { Address } from '../../../../libs/chain/hex.ts'
import { randomAddress } from '../compare/subjects.ts'
import { type AuditedAddress, checkBalances, checkOwned } from './check-address.ts'
import { checkLogsOfAddress } from './check-logs.ts'
import { checkCounters, checkHolders, checkToken } from './check-token.ts'
import { checkByHash, checkListed, sidesOfTransaction } from './check-transaction.ts'
import { checkTransfers, checkTransfersOfToken, tokenTransfersMax } from './check-transfers.ts'
import type { PageLook } from './finding.ts'
import { logsOf, transactionsIn } from './node-transaction.ts'
import { type SettleOptions, settled } from './settle.ts'
import type { ShownToken } from './shown-bodies.ts'
import type { DrawnTransaction } from './subjects-of-blocks.ts'
import { type PageQuery, someOf, type Witnesses } from './witnesses.ts'

/** Contracts of a transaction, whose logs of the block are compared. */
const emittersMax = 4
/** Tokens of a transaction, whose transfers of the block are compared. */
const tokensMax = 4

export interface LookOptions extends SettleOptions {
  /** Whether nothing more is to be looked at. */
  readonly isOver: () => boolean
  /** Receives each look that counts, at once. */
  readonly onLook?: (look: PageLook) => void
}

async function finalLook(look: () => Promise<PageLook>, options: LookOptions): Promise<PageLook> {
  const found = await settled(look, options)
  options.onLook?.(found)
  return found
}

/** One look after the other: several subjects are looked at together. */
async function allOf(
  looks: readonly (() => Promise<PageLook>)[],
  options: LookOptions,
): Promise<PageLook[]> {
  const found: PageLook[] = []
  for (const look of looks) if (!options.isOver()) found.push(await finalLook(look, options))
  return found
}

/** A transaction by its hash and in lists; logs and transfers of it and of its block. */
export function looksOfTransaction(
  witnesses: Witnesses,
  { whole, told, transfers }: DrawnTransaction,
  options: LookOptions,
): Promise<readonly PageLook[]> {
  const { random } = witnesses
  const { block } = whole
  const logs = transactionsIn(whole).flatMap(logsOf)
  const emitters = [...new Set(logsOf(told).map(({ address }) => address))]
  const own = new Set(logsOf(told).map(({ index }) => index))
  const moved = (transfers ?? []).filter(({ logIndex }) => own.has(logIndex))
  const tokens = [...new Set(moved.map(({ token }) => token))]
  const ofToken = (one: Address) => (transfers ?? []).filter(({ token }) => token === one)
  const short = tokens.filter((token) => ofToken(token).length <= tokenTransfersMax)
  return allOf(
    [
      () => checkByHash(witnesses, told),
      ...sidesOfTransaction(told).map((side) => () => checkListed(witnesses, told, side)),
      () => checkTransfers(witnesses, told),
      ...someOf(random, emitters, emittersMax).map((emitter) => () => {
        const ofEmitter = logs.filter(({ address }) => address === emitter)
        return checkLogsOfAddress(witnesses, emitter, { block, logs: ofEmitter })
      }),
      ...someOf(random, short, tokensMax).map((token) => () => {
        return checkTransfersOfToken(witnesses, token, { block, transfers: ofToken(token) })
      }),
    ],
    options,
  )
}

/** Pages of holders of a token that was drawn: the first one, and one anywhere. */
export const drawnPagesMax = 2
/** Of one that was named: all of them, so far as the time lasts. */
export const namedPagesMax = 10_000

interface TokenLooks {
  readonly looks: readonly PageLook[]
  /** Null if Foldscan has no such token. */
  readonly shown: ShownToken | null
}

interface WantedToken {
  readonly token: Address
  /** All of its holders are compared, in order. */
  readonly isNamed: boolean
  /** Of holders. */
  readonly pagesMax: number
}

/** Words and supply of a token, how many holders it has, and some of these. */
export async function looksOfToken(
  witnesses: Witnesses,
  { token, isNamed, pagesMax }: WantedToken,
  options: LookOptions,
): Promise<TokenLooks> {
  const known: ShownToken[] = []
  const look = () => checkToken(witnesses, token, (one) => known.push(one))
  const looks = [await finalLook(look, options)]
  const shown = known.at(-1) ?? null
  if (shown === null) return { looks, shown }
  let next: PageQuery | null = null
  let greatest: bigint | null = null
  const lookAt = async (query: PageQuery) => {
    // A page that failed has no cursor: it would be asked for again and again.
    next = null
    const onShown = (after: PageQuery | null, values: readonly bigint[]) => {
      next = after
      greatest ??= values[0] ?? null
    }
    const page = () => checkHolders(witnesses, { token: shown, query, onShown })
    looks.push(await finalLook(page, options))
  }
  await lookAt({})
  looks.push(await finalLook(() => checkCounters(witnesses, token), options))
  // Of others the greatest holders would be compared each time, and none below them.
  if (next !== null && greatest !== null && !isNamed) next = randomPlace(witnesses, greatest)
  for (let pages = 1; next !== null && pages < pagesMax && !options.isOver(); pages++) {
    await lookAt(next)
  }
  return { looks, shown }
}

/** By the number of digits: holders of little are many more. */
function randomPlace({ random }: Witnesses, greatest: bigint): PageQuery {
  const digits = `${greatest}`.length
  const value = 10n ** BigInt(random.below(digits)) * BigInt(1 + random.below(9))
  return { value: `${value}`, address_hash: randomAddress(random) }
}

/** What an address holds, and which ids it owns. */
export const looksOfAddress = (
  witnesses: Witnesses,
  audited: AuditedAddress,
  options: LookOptions,
): Promise<readonly PageLook[]> =>
  allOf([() => checkBalances(witnesses, audited), () => checkOwned(witnesses, audited)], options)
