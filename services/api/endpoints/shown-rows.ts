import type { Address } from '../../../libs/chain/hex.ts'
import { isShown } from '../../../libs/tables/tables/tokens.ts'
import type { Reader } from './pipeline/steps.ts'

interface TokenRow {
  readonly token: Address
  readonly observedAt: number
}

/** Those rows that count: of a token in doubt only what was observed since (decision 64). */
async function shownRows<R extends TokenRow>(
  { tokenStates }: Pick<Reader, 'tokenStates'>,
  rows: readonly R[],
): Promise<readonly R[]> {
  const states = await tokenStates([...new Set(rows.map(({ token }) => token))])
  return rows.filter((row) => isShown(row, states.get(row.token)))
}

/** {@link shownRows} for a query that can skip the others once it has met some. */
export function shownInList<R extends TokenRow>(reader: Pick<Reader, 'tokenStates'>) {
  let areMet = false
  return {
    async listed(rows: readonly R[]): Promise<readonly R[]> {
      const shown = await shownRows(reader, rows)
      if (shown.length < rows.length) areMet = true
      return shown
    },
    inDoubt: {
      areMet: () => areMet,
      async among(tokens: readonly Address[]): Promise<readonly Address[]> {
        const states = await reader.tokenStates(tokens)
        return tokens.filter((token) => (states.get(token)?.shownSince ?? 0) > 0)
      },
    },
  }
}

/** The first of them, looking at no more tokens than it has to. */
export async function firstShown<R extends TokenRow>(
  reader: Pick<Reader, 'tokenStates'>,
  rows: readonly R[],
  limit: number,
): Promise<readonly R[]> {
  const found: R[] = []
  for (let at = 0; at < rows.length && found.length < limit; at += limit) {
    found.push(...(await shownRows(reader, rows.slice(at, at + limit))))
  }
  return found.slice(0, limit)
}
