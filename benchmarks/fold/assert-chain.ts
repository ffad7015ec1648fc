import type { Store } from '../../libs/ports/store.ts'
import { type ChainShape, generatedChain, tokensOf } from '../generated-chain.ts'
import { checkedLists, stringsOf } from '../read/naive-first-page.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const checkedTokens = 12
const pageRows = 50

interface Token {
  readonly balances: Map<string, bigint>
  /** Block and log index of each, the oldest first. */
  readonly transfers: string[]
}

const addressOf = (topic = '') => `0x${topic.slice(26)}`
const isGreater = <T>(one: T, other: T) => (one > other ? -1 : one < other ? 1 : 0)

/** Of the first tokens, the fungible ones, from the logs of the chain alone. */
function naiveTokens(shape: ChainShape): ReadonlyMap<string, Token> {
  const wanted = new Set<string>(tokensOf(shape.tokens).slice(0, checkedTokens))
  const tokens = new Map<string, Token>()
  for (const { block } of generatedChain(shape)) {
    for (const { address, topics, data, index } of block.transactions.flatMap(({ logs }) => logs)) {
      if (!wanted.has(address) || topics.length !== 3 || String(topics[0]) !== transferTopic)
        continue
      const token: Token = tokens.get(address) ?? { balances: new Map(), transfers: [] }
      tokens.set(address, token)
      const { balances, transfers } = token
      const [from, to, value] = [addressOf(topics[1]), addressOf(topics[2]), BigInt(data)]
      balances.set(from, (balances.get(from) ?? 0n) - value)
      balances.set(to, (balances.get(to) ?? 0n) + value)
      transfers.push(`${block.number}:${index}`)
    }
  }
  return tokens
}

const greatestHolders = ({ balances }: Token): readonly string[] =>
  [...balances]
    .filter(([, value]) => value > 0n)
    .sort(([one, left], [other, right]) => isGreater(left, right) || isGreater(one, other))
    .slice(0, pageRows)
    .map(([holder, value]) => `${holder} ${value}`)

/**
 * Compares the first pages of holders and of transfers in the folded tables with the sums and the
 * logs of the chain.
 *
 * @returns how many were compared. @throws if one differs, or if there was none to compare
 */
export async function assertChain(store: Store, shape: ChainShape): Promise<number> {
  const tokens = naiveTokens(shape)
  if (tokens.size === 0) throw new Error('the chain has no fungible token that can be compared')
  for (const [address, token] of tokens) {
    for (const [name, { keys }, expected] of [
      ['holders', checkedLists.holdersOfToken, greatestHolders(token)],
      ['transfers', checkedLists.transfersOfToken, token.transfers.slice(-pageRows).reverse()],
    ] as const) {
      const folded = await stringsOf(store, keys, address)
      if (folded.join('\n') === expected.join('\n')) continue
      throw new Error(
        `${name} of ${address}: ${folded.join(', ')} instead of ${expected.join(', ')}`,
      )
    }
  }
  return 2 * tokens.size
}
