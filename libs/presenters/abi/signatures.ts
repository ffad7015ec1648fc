import type { AbiEvent, AbiFunction } from 'abitype'
import { toEventSelector, toFunctionSelector } from 'viem'
import { contractsAbi } from './contracts.ts'
import { poolsAbi } from './pools.ts'
import { tokensAbi } from './tokens.ts'

const known = [...tokensAbi, ...poolsAbi, ...contractsAbi]

/** The first function listed wins its selector. */
const functions = new Map<string, AbiFunction>()
const events = new Map<string, AbiEvent[]>()

for (const item of known) {
  if (item.type === 'function') {
    const selector = toFunctionSelector(item)
    if (!functions.has(selector)) functions.set(selector, item)
  } else {
    const topic = toEventSelector(item)
    const sameTopic = events.get(topic)
    if (sameTopic === undefined) events.set(topic, [item])
    else sameTopic.push(item)
  }
}

/** @param selector four bytes, lower case. */
export const functionOf = (selector: string): AbiFunction | null => functions.get(selector) ?? null

/** Events of a topic that index as many arguments as the log has further topics. */
export const eventOf = (topics: readonly string[]): AbiEvent | null => {
  const indexed = topics.length - 1
  const sameTopic = events.get(topics[0] ?? '') ?? []
  return sameTopic.find((event) => event.inputs.filter(isIndexed).length === indexed) ?? null
}

const isIndexed = (input: AbiEvent['inputs'][number]): boolean => input.indexed === true
