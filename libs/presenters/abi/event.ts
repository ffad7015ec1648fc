import type { AbiEvent, AbiEventParameter } from 'abitype'
import type { Hash, Hex } from '../../chain/hex.ts'
import { bestFit } from './best-fit.ts'
import { decodedValues, isExact } from './decoded-values.ts'
import {
  eventCandidates,
  noPublishedSignatures,
  type PublishedSignatures,
} from './published-signatures.ts'
import { type ShownValue, typeText } from './values.ts'

/** A log by the signature that fits it best (`decoded`); null if none fits it. */
export function decodedEvent(
  topics: readonly Hash[],
  data: Hex,
  published: PublishedSignatures = noPublishedSignatures,
) {
  const [topic] = topics
  if (topic === undefined) return null
  const fit = bestFit(eventCandidates(topics, published), {
    valuesOf: ({ inputs }: AbiEvent) => valuesOf(inputs, topics, data),
    isExact: ({ inputs }) => isExactLog(inputs, topics, data),
  })
  if (fit === null) return null
  const { signature, values } = fit
  return {
    method_call: `${signature.name}(${signature.inputs.map(inputText).join(', ')})`,
    method_id: topic.slice(2, 10),
    parameters: signature.inputs.map((input, at) => ({
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

const plainOf = (inputs: readonly AbiEventParameter[]) =>
  inputs.filter((input) => input.indexed !== true)

/** Indexed arguments from the topics, the others from the data; null if either does not fit. */
function valuesOf(
  inputs: readonly AbiEventParameter[],
  topics: readonly Hash[],
  data: Hex,
): readonly ShownValue[] | null {
  const plain = decodedValues(plainOf(inputs), data)
  if (plain === null) return null
  let plainAt = 0
  let topicAt = 1
  const values = inputs.map((input) =>
    input.indexed === true ? indexedValue(input, topics[topicAt++] ?? '0x') : plain[plainAt++],
  )
  return values.every((value) => value !== undefined && value !== null) ? values : null
}

/** Of text, bytes, arrays and tuples a topic holds only the hash. */
const isHashed = ({ type }: AbiEventParameter): boolean =>
  /^(string|bytes|tuple.*|.*\])$/.test(type)

const indexedValue = (input: AbiEventParameter, topic: Hex): ShownValue | null =>
  isHashed(input) ? topic : (decodedValues([{ type: input.type }], topic)?.[0] ?? null)

function isExactLog(
  inputs: readonly AbiEventParameter[],
  topics: readonly Hash[],
  data: Hex,
): boolean {
  const indexed = inputs.filter((input) => input.indexed === true)
  const areTopics = indexed.every(
    (input, at) => isHashed(input) || isExact([{ type: input.type }], topics[at + 1] ?? '0x'),
  )
  return areTopics && isExact(plainOf(inputs), data)
}
