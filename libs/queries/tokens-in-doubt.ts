import { type Address, withoutPrefix } from '../chain/hex.ts'
import { TooManyRows } from '../ports/store.ts'
import type { QueryLimits } from './reading/query.ts'

/** Tells of which tokens only observed rows belong in a list (decision 64). */
export interface TokensInDoubt {
  /** Whether any row was left out for that so far. */
  readonly areMet: () => boolean
  readonly among: (tokens: readonly Address[]) => Promise<readonly Address[]>
}

/** The tokens that the rows of a list after a place are of. */
export type TokensAfter<R> = (
  last: R | null,
  tokensMax: number,
  limits: QueryLimits,
) => Promise<readonly { readonly token: Address }[]>

/** Tokens of a list that are looked up at once; rows of others are read and filtered. */
const tokensMax = 1_000
/** Rows of a list in which they are searched. */
const limits: QueryLimits = { rowsReadMax: 2_000_000 }

/**
 * Tokens that a query is to skip, as its parameter; looked up once. None in a list that is too long
 * to search: its rows are read and filtered, up to the bound of a page.
 */
export function hiddenTokens<R>(
  inDoubt: TokensInDoubt | undefined,
  tokensAfter: TokensAfter<R>,
): (last: R | null) => Promise<readonly string[]> {
  let hidden: readonly string[] | null = null
  return async (last) => {
    if (inDoubt?.areMet() !== true) return []
    hidden ??= await foundAfter(last, inDoubt, tokensAfter)
    return hidden
  }
}

async function foundAfter<R>(
  last: R | null,
  inDoubt: TokensInDoubt,
  tokensAfter: TokensAfter<R>,
): Promise<readonly string[]> {
  try {
    const rows = await tokensAfter(last, tokensMax, limits)
    const tokens = await inDoubt.among([...new Set(rows.map(({ token }) => token))])
    return tokens.map(withoutPrefix)
  } catch (error) {
    if (error instanceof TooManyRows) return []
    throw error
  }
}
