import type { Address } from '../../libs/chain/hex.ts'
import type { Standard, TokenMetadata } from '../../libs/chain/token.ts'
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
}

/**
 * Decision 33: the standard that a contract reports when it is first seen, else the form of its
 * first transfer. Names as reported last; blank is none.
 */
export function tokensOf(messages: readonly CanonicalMessage[]): Map<Address, OracleToken> {
  const tokens = new Map<Address, OracleToken>()
  let at = 0
  const seen = (address: Address, standard: Standard | null): OracleToken => {
    const words = { name: null, symbol: null, decimals: null }
    const token = tokens.get(address) ?? { address, standard: null, ...words, knownAt: at }
    if (token.standard === null) Object.assign(token, { standard, knownAt: at })
    tokens.set(address, token)
    return token
  }
  const describe = (reported: TokenMetadata) => {
    const token = seen(reported.address, reported.standard)
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
