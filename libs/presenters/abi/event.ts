import type { AbiEventParameter } from 'abitype'
import type { Hash, Hex } from '../../chain/hex.ts'
import { decodedValues } from './decoded-values.ts'
import { eventOf } from './signatures.ts'
import { type ShownValue, typeText } from './values.ts'

/** A log by a known signature (`decoded`); null if none fits it. */
export function decodedEvent(topics: readonly Hash[], data: Hex) {
  const [signature] = topics
  const event = eventOf(topics)
  if (signature === undefined || event === null) return null
  const values = valuesOf(event.inputs, topics, data)
  if (values === null) return null
  return {
    method_call: `${event.name}(${event.inputs.map(inputText).join(', ')})`,
    method_id: signature.slice(2, 10),
    parameters: event.inputs.map((input, at) => ({
      name: input.name ?? '',
      type: typeText(input),
      indexed: input.indexed === true,
      'indexed?': input.indexed === true,
      value: values[at] ?? '',
    })),
  }
}

const inputText = (input: AbiEventParameter): string =>
  `${typeText(input)}${input.indexed === true ? ' indexed' : ''} ${input.name ?? ''}`.trim()

/** Indexed arguments from the topics, the others from the data; null if either does not fit. */
function valuesOf(
  inputs: readonly AbiEventParameter[],
  topics: readonly Hash[],
  data: Hex,
): readonly ShownValue[] | null {
  const plain = decodedValues(
    inputs.filter((input) => input.indexed !== true),
    data,
  )
  if (plain === null) return null
  let plainAt = 0
  let topicAt = 1
  const values = inputs.map((input) =>
    input.indexed === true ? indexedValue(input, topics[topicAt++] ?? '0x') : plain[plainAt++],
  )
  return values.every((value) => value !== undefined && value !== null) ? values : null
}

/** Of text, bytes, arrays and tuples a topic holds only the hash. */
function indexedValue(input: AbiEventParameter, topic: Hex): ShownValue | null {
  const isHashed = /^(string|bytes|tuple.*|.*\])$/.test(input.type)
  return isHashed ? topic : (decodedValues([{ type: input.type }], topic)?.[0] ?? null)
}
