import type { AbiEvent, AbiFunction } from 'abitype'
import { toEventSelector, toFunctionSelector } from 'viem'
import { contractsAbi } from './contracts.ts'
import { poolsAbi } from './pools.ts'
import { tokensAbi } from './tokens.ts'

const known = [...tokensAbi, ...poolsAbi, ...contractsAbi]

const functions = new Map<string, AbiFunction[]>()
const events = new Map<string, AbiEvent[]>()

for (const item of known) {
  if (item.type === 'function') add(functions, toFunctionSelector(item), item)
  else add(events, toEventSelector(item), item)
}

function add<A>(items: Map<string, A[]>, selector: string, item: A): void {
  const same = items.get(selector)
  if (same === undefined) items.set(selector, [item])
  else same.push(item)
}

/** @param selector four bytes, lower case. */
export const functionsOf = (selector: string): readonly AbiFunction[] =>
  functions.get(selector) ?? []

/** Events of a topic that index as many arguments as the log has further topics. */
export function eventsOf(topics: readonly string[]): readonly AbiEvent[] {
  const indexed = topics.length - 1
  const sameTopic = events.get(topics[0] ?? '') ?? []
  return sameTopic.filter((event) => event.inputs.filter(isIndexed).length === indexed)
}

const isIndexed = (input: AbiEvent['inputs'][number]): boolean => input.indexed === true
