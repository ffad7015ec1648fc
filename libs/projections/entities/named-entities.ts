import { type Hash, withoutPrefix } from '../../chain/hex.ts'
import type { BlocksMessage } from '../../topics/blocks.ts'
import type { EntityName, StateReader } from '../group.ts'
import { singleTopic, transferTopic } from '../ledger/transfers.ts'
import { accountEntity } from './account.ts'
import { balanceEntity, holdingEntity } from './balance.ts'
import { chainEntity, chainEntityId, newChain } from './chain.ts'
import { instanceEntity } from './instance.ts'
import { tokenEntity } from './token.ts'

/** Digits of the address in a topic, whatever stands before it: a wrong guess costs a read. */
const addressIn = (topic: Hash): string => topic.slice(26)

/**
 * What a block's transactions and logs name of the state: most of what its fold reads. The rest
 * follows from what is read, or from data that would have to be parsed twice. Work of one turn: for
 * blocks that are folded at once.
 */
export function* namedEntities(state: StateReader, message: BlocksMessage): Generator<EntityName> {
  if (message.kind !== 'block.applied') return
  const { hasAuthorizations } = state.get(chainEntity, chainEntityId) ?? newChain()
  const said = new Set<string>()
  const isNews = (name: string): boolean => said.size < said.add(name).size
  const tokens = new Set(message.tokens.map(({ address }) => withoutPrefix(address)))
  for (const { from, to, logs } of message.block.transactions) {
    const sender = withoutPrefix(from)
    // Nonces are compared once an account has authorized another's code.
    if (hasAuthorizations && isNews(sender)) yield { entity: accountEntity, id: sender }
    if (to !== null) tokens.add(withoutPrefix(to))
    for (const { address, topics, data } of logs) {
      const token = withoutPrefix(address)
      tokens.add(token)
      if (isNews(token)) yield { entity: accountEntity, id: token }
      const [kind, first, second, third] = topics
      if (first === undefined || second === undefined) continue
      if (kind === transferTopic) {
        const instance = token + (third ?? '').slice(2)
        if (third !== undefined && isNews(instance)) yield { entity: instanceEntity, id: instance }
        for (const end of [first, second]) {
          const id = `${token}00${addressIn(end)}`
          if (isNews(id)) yield { entity: balanceEntity, id }
        }
      }
      if (kind === singleTopic && third !== undefined && data.length >= 66) {
        const tokenId = data.slice(2, 66)
        if (isNews(token + tokenId)) yield { entity: instanceEntity, id: token + tokenId }
        for (const end of [second, third]) {
          const holder = addressIn(end)
          if (isNews(token + holder)) yield { entity: holdingEntity, id: token + holder }
          const id = `${token}01${tokenId}${holder}`
          if (isNews(id)) yield { entity: balanceEntity, id }
        }
      }
    }
  }
  for (const id of tokens) yield { entity: tokenEntity, id }
}
