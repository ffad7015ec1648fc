import type { Address } from '../../libs/chain/hex.ts'
import type { Standard, TokenMetadata } from '../../libs/chain/token.ts'
import type { CanonicalMessage } from './canonical.ts'
import { toldBy } from './told.ts'

export interface OracleToken {
  readonly address: Address
  standard: Standard | null
  name: string | null
  symbol: string | null
  decimals: number | null
  /** Number of the message that said its standard first. */
  knownAt: number
}

/**
 * Decision 33: what a contract says of its standard when it is first seen, else the form of its
 * first transfer. Words as they were said last; blank is nothing.
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
  const describe = (said: TokenMetadata) => {
    const token = seen(said.address, said.standard)
    token.name = said.name?.trim() ? said.name : token.name
    token.symbol = said.symbol?.trim() ? said.symbol : token.symbol
    token.decimals = said.decimals ?? token.decimals
  }
  for (const [index, message] of messages.entries()) {
    at = index
    if (message.kind === 'gap.declared') continue
    for (const said of message.tokens) describe(said)
    for (const { log, form } of toldBy([message]).transfers) seen(log.address, form)
  }
  for (const [address, { standard }] of tokens) if (standard === null) tokens.delete(address)
  return tokens
}
