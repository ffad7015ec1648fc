import { z } from 'zod'
import { addressText, amountText } from './quantities.ts'

/**
 * A message of topic `holders`: an address that may hold a token, named by whoever knows it. The
 * ingestor asks the node what it holds, as of a new block.
 */
export const namedHolder = z.object({
  token: addressText,
  holder: addressText,
  /** Of ERC-1155; null of all others. */
  tokenId: amountText.nullable(),
})

export type NamedHolder = z.output<typeof namedHolder>
export const namedHolderKey = ({ token, holder, tokenId }: NamedHolder): string =>
  tokenId === null ? `${token}:${holder}` : `${token}:${holder}:${tokenId}`
