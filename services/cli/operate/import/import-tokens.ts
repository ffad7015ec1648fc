import { z } from 'zod'
import { firstIssueOf } from '../../../../libs/topics/codec.ts'
import { tokenFact, tokenFactKey } from '../../../../libs/topics/facts/token-facts.ts'
import { addressIn, type ImportKind, invalid, quoted, scamMark } from './imported.ts'

const word = z
  .string()
  .nullable()
  .default(null)
  .transform((text) => text?.trim() || null)

/** An empty one, as in CSV, is none. */
const decimals = z
  .union(
    [
      z.number(),
      z.null(),
      z.literal('').transform(() => null),
      z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number),
    ],
    { error: ({ input }) => `not a number of decimals: ${quoted(input)}` },
  )
  .default(null)

const form = z.object({
  address: z.string().optional(),
  name: word,
  symbol: word,
  decimals,
  is_scam: scamMark,
})

/**
 * What tokens are called, how their amounts are shown, and, where a file says it, whether they are
 * a scam: a JSON object by address, a JSON list, or CSV. It takes the place of what their contracts
 * return; balances and transfers stay the same.
 */
export const importTokens: ImportKind = {
  topic: 'token-facts',
  read({ key, value }, { time }) {
    const { data, error } = form.safeParse(value)
    if (data === undefined) return invalid(firstIssueOf(error, 'token'))
    const token = addressIn(key ?? data.address)
    if (token === null) return invalid(`not an address: ${quoted(key ?? data.address ?? '')}`)
    const { name, symbol, decimals, is_scam } = data
    if (name === null && symbol === null && decimals === null && is_scam === null) {
      return invalid('neither a name, nor a symbol, nor decimals')
    }
    const words = { token, time, name, symbol, decimals }
    const { data: fact, error: fault } = tokenFact.safeParse(
      is_scam === null
        ? { kind: 'words', ...words }
        : { kind: 'correction', ...words, isScam: is_scam },
    )
    if (fact === undefined) return invalid(firstIssueOf(fault, 'token'))
    return { facts: [{ key: tokenFactKey(fact), message: fact }] }
  },
}
