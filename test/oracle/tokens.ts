import type { Address } from '../../libs/chain/hex.ts'
import type { Standard, TokenMetadata } from '../../libs/chain/token.ts'
import type { LogTransfer } from '../../services/cli/operate/audit/transfers-of-log.ts'
import type { CanonicalMessage } from './canonical.ts'
import { contentsOf } from './chain-contents.ts'

export interface OracleToken {
  readonly address: Address
  standard: Standard | null
  name: string | null
  symbol: string | null
  decimals: number | null
  /** Number of the message that reported its standard first. */
  knownAt: number
  /** The contract has said what it is, if only by its decimals. */
  isSettled: boolean
  /** It said another standard than its first transfers had the form of. */
  isCorrected: boolean
}

/**
 * Decisions 33 and 61: the standard that a contract reports first, ERC-20 if it only reports
 * decimals, else the form of its first transfer. Names as reported last; blank is none.
 */
export function tokensOf(messages: readonly CanonicalMessage[]): Map<Address, OracleToken> {
  const tokens = new Map<Address, OracleToken>()
  let at = 0
  const seen = (address: Address, standard: Standard | null): OracleToken => {
    const words = { name: null, symbol: null, decimals: null }
    const fresh = {
      address,
      standard: null,
      ...words,
      knownAt: at,
      isSettled: false,
      isCorrected: false,
    }
    const token = tokens.get(address) ?? fresh
    if (token.standard === null) Object.assign(token, { standard, knownAt: at })
    tokens.set(address, token)
    return token
  }
  const describe = (reported: TokenMetadata) => {
    const said = reported.standard ?? (reported.decimals ? 'ERC-20' : null)
    const token = seen(reported.address, said)
    if (!token.isSettled && (said !== null || reported.decimals !== null)) {
      token.isCorrected = said !== null && token.standard !== said
      token.standard = said ?? token.standard
      token.isSettled = true
    }
    token.name = reported.name?.trim() ? reported.name : token.name
    token.symbol = reported.symbol?.trim() ? reported.symbol : token.symbol
    token.decimals = reported.decimals ?? token.decimals
  }
  for (const [index, message] of messages.entries()) {
    at = index
    if (message.kind === 'gap.declared') continue
    for (const reported of message.tokens) describe(reported)
    for (const { log, form } of contentsOf([message]).transfers) seen(log.address, form)
  }
  for (const [address, { standard }] of tokens) if (standard === null) tokens.delete(address)
  return tokens
}

/** Decision 61: what a transfer moves, by the standard of its token where that has a reading. */
export function readBy<T extends LogTransfer>(transfer: T, token: OracleToken | undefined): T {
  const { form, tokenId, value } = transfer
  if (token?.standard === 'ERC-721' && form === 'ERC-20') {
    return { ...transfer, form: 'ERC-721', tokenId: value, value: 1n }
  }
  const isAmount = token?.standard === 'ERC-20' && (token.decimals ?? 0) > 0
  if (isAmount && form === 'ERC-721' && !transfer.isOfRange && tokenId !== null) {
    return { ...transfer, form: 'ERC-20', tokenId: null, value: tokenId }
  }
  return transfer
}
