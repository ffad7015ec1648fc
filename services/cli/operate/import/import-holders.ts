import { z } from 'zod'
import { namedHolder, namedHolderKey } from '../../../../libs/topics/holders.ts'
import { addressIn, type ImportKind, invalid, quoted } from './imported.ts'

/** JSON has small ids as numbers; an empty column is none. */
const id = z
  .union([z.string(), z.int().min(0).transform(String), z.null()])
  .default(null)
  .transform((text) => text?.trim() || null)

const form = z.object({ token: z.string(), holder: z.string(), id })

/**
 * Addresses that may hold a token, and the id of ERC-1155: a JSON list, or CSV. What they hold is
 * asked of the node.
 */
export const importHolders: ImportKind = {
  topic: 'holders',
  read({ value }) {
    const { data } = form.safeParse(value)
    if (data === undefined) return invalid(`no token with a holder: ${quoted(value)}`)
    const [token, holder] = [addressIn(data.token), addressIn(data.holder)]
    if (token === null) return invalid(`not an address: ${quoted(data.token)}`)
    if (holder === null) return invalid(`not an address: ${quoted(data.holder)}`)
    const { data: message } = namedHolder.safeParse({ token, holder, tokenId: data.id })
    if (message === undefined) return invalid(`not an id: ${quoted(data.id)}`)
    return { facts: [{ key: namedHolderKey(message), message }] }
  },
}
