import { eventTopic } from '../../../libs/chain/abi-words.ts'
import type { Block } from '../../../libs/chain/block.ts'
import { coinEmittersOf } from '../../../libs/chain/coin-emitters.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'

/** Events after which name, symbol or decimals may be others (decision 65). */
const changingTopics: ReadonlySet<string | undefined> = new Set(
  [
    'Upgraded(address)',
    'BeaconUpgraded(address)',
    'AdminChanged(address,address)',
    'DiamondCut((address,uint8,bytes4[])[],address,bytes)',
    'Initialized(uint8)',
    'Initialized(uint64)',
    'OwnershipTransferred(address,address)',
    'MetadataUpdate(uint256)',
    'BatchMetadataUpdate(uint256,uint256)',
    'ContractURIUpdated()',
    'UpdatedTokenInformation(string,string)',
    'NameChanged(string)',
    'NameChanged(string,string)',
    'NameUpdated(string)',
    'SymbolChanged(string)',
    'SymbolChanged(string,string)',
    'SymbolUpdated(string)',
  ].map(eventTopic),
)

/** Contracts that logged such an event, in order of appearance. */
export async function wordsMayChangeIn(block: Block, pause: Pause): Promise<readonly Address[]> {
  const found = new Set<Address>()
  const coinEmitters = coinEmittersOf(block)
  for (const { logs } of block.transactions) {
    for (const { topics, address } of logs) {
      const paused = pause()
      if (paused !== undefined) await paused
      if (changingTopics.has(topics[0]) && !coinEmitters.has(address)) found.add(address)
    }
  }
  return [...found]
}
