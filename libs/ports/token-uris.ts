import type { Address } from '../chain/hex.ts'

/** An NFT, and by which function its contract names the document about it. */
export interface UriRequest {
  readonly token: Address
  readonly tokenId: bigint
  readonly function: UriFunction
}

/** Of ERC-721 (and ERC-404), and of ERC-1155. */
export type UriFunction = 'tokenURI' | 'uri'

/**
 * `none`: the contract reverted, or returned no text. `unanswered`: its call took too long, or too
 * many bytes. `cut-off`: there was no time for it, perhaps because of other contracts.
 */
export type UriResult =
  | { readonly kind: 'uri'; readonly text: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'cut-off' }

/** What NFT contracts say now about where their metadata is. */
export interface TokenUris {
  /**
   * A result for each request, in their order. A contract never causes an exception.
   * @throws SourceError if the node itself fails
   */
  ask(requests: readonly UriRequest[]): Promise<readonly UriResult[]>
}
