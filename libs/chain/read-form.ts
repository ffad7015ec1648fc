import type { Standard, TransferForm } from './token.ts'

/** What decides how transfers of a token are read; decimals as the contract returned them. */
export interface TokenKind {
  readonly standard: Standard | null
  readonly decimals: number | null
}

/** What a transfer moves, by the form of its log or by another one. */
interface Moved {
  readonly form: TransferForm
  readonly tokenId: bigint | null
  readonly value: bigint
  readonly batchSize: number
}

/**
 * A transfer by its token's standard where it can be read by it, else by the form of its log
 * (decision 61). ERC-721 takes the word of three topics as an id. ERC-20 takes a fourth topic as an
 * amount, but only with decimals: without them the contract may log ids beside amounts. Nothing
 * else has another reading: ERC-404 logs both forms, ids in a row are no amounts.
 */
export function readByStandard<T extends Moved>(transfer: T, token: TokenKind | null): T {
  const { form, tokenId, value, batchSize } = transfer
  if (form === 'ERC-20' && token?.standard === 'ERC-721') {
    return { ...transfer, form: 'ERC-721', tokenId: value, value: 1n }
  }
  const isAmount = token?.standard === 'ERC-20' && (token.decimals ?? 0) > 0
  if (form === 'ERC-721' && isAmount && batchSize === 1) {
    return { ...transfer, form: 'ERC-20', tokenId: null, value: tokenId ?? value }
  }
  return transfer
}
