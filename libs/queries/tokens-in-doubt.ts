import { type Address, withoutPrefix } from '../chain/hex.ts'

/** Tells of which tokens only observed rows belong in a list (decision 64). */
export interface TokensInDoubt {
  /** Whether any row was left out for that so far. */
  readonly areMet: () => boolean
  readonly among: (tokens: readonly Address[]) => Promise<readonly Address[]>
}

/** Tokens of a list that are looked up at once; rows of others are read and filtered. */
const tokensMax = 1_000

/**
 * Tokens that a query is to skip, as its parameter; looked up once.
 * @param rowsAfter one row of each token that the list goes on with
 */
export function hiddenTokens<R extends { readonly token: Address }>(
  inDoubt: TokensInDoubt | undefined,
  rowsAfter: (last: R | null, tokensMax: number) => Promise<readonly R[]>,
): (last: R | null) => Promise<readonly string[]> {
  let hidden: readonly string[] | null = null
  return async (last) => {
    if (inDoubt?.areMet() !== true) return []
    if (hidden !== null) return hidden
    const rows = await rowsAfter(last, tokensMax)
    const tokens = await inDoubt.among([...new Set(rows.map(({ token }) => token))])
    hidden = tokens.map(withoutPrefix)
    return hidden
  }
}
