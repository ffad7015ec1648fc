import type { AbiEvent, AbiEventParameter, AbiFunction, AbiParameter } from 'abitype'
import { z } from 'zod'
import type { Hash, Hex } from '../../chain/hex.ts'
import { named } from '../schemas.ts'
import type { ShownValue } from './abi-reader.ts'
import { DecodeBudget } from './decode-budget.ts'
import { decodedValues, isExact, typeText } from './decoded-values.ts'
import {
  bestFit,
  eventCandidates,
  functionCandidates,
  noPublishedSignatures,
  type PublishedSignatures,
} from './published-signatures.ts'

const isShown = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every(isShown))

/** Printed as open below the first level: generators of clients stumble over recursive schemas. */
const valueSchema = named(
  'DecodedValue',
  z
    .union([z.string(), z.array(z.unknown().refine(isShown))])
    .describe('Of arrays and tuples the list of their values, nested as their type is.'),
)

const parameterSchema = z.object({
  name: z.string().describe('Name; arg0, arg1 and so on by place where the signature has none.'),
  type: z.string().describe('Type in the ABI.'),
  value: valueSchema.describe('As text: integers in decimal, bytes in hex. Lists are nested.'),
})
const callSchema = z.object({
  method_call: z.string().describe('Signature, with the names of its parameters.'),
  method_id: z
    .string()
    .regex(/^[0-9a-f]{8}$/)
    .describe('First four bytes of its hash, hex without 0x.'),
})

/** Schema of {@link decodedInput}. */
export const decodedInputSchema = named(
  'DecodedInput',
  callSchema
    .extend({ parameters: z.array(parameterSchema).describe('Its arguments, in order.') })
    .describe('A call, decoded by a known signature.'),
)

/** Schema of {@link decodedEvent}. */
export const decodedEventSchema = named(
  'DecodedEvent',
  callSchema
    .extend({
      parameters: z
        .array(
          parameterSchema.extend({
            indexed: z.boolean().describe('Whether it is a topic.'),
            'indexed?': z.boolean().describe('The same as indexed, for other clients.'),
          }),
        )
        .describe('Its values, in order.'),
    })
    .describe('An event, decoded by a known signature.'),
)

const selectorCharacters = 10

/** A function's likeliest name by its selector; the selector itself if unknown. */
export function methodOf(
  selector: Hex | null,
  published: PublishedSignatures = noPublishedSignatures,
): string | null {
  if (selector === null) return null
  const { own, wellKnown } = functionCandidates(selector, published)
  return [...own, ...wellKnown][0]?.name ?? selector
}

/** The first four bytes of an input, null if it has fewer. */
export const selectorOf = (input: Hex): Hex | null =>
  input.length < selectorCharacters ? null : `0x${input.slice(2, selectorCharacters)}`

/** An input by the signature that fits it best (`decoded_input`); null if none fits the whole. */
export function decodedInput(input: Hex, published: PublishedSignatures = noPublishedSignatures) {
  const { budget = new DecodeBudget() } = published
  const selector = selectorOf(input)
  if (selector === null) return null
  const content: Hex = `0x${input.slice(selectorCharacters)}`
  const fit = bestFit(functionCandidates(selector, published), {
    valuesOf: ({ inputs }: AbiFunction) => decodedValues(inputs, content, budget),
    isExact: ({ inputs }) => isExact(inputs, content, budget),
  })
  if (fit === null) return null
  const { signature, values } = fit
  return {
    method_call: callText(signature),
    method_id: selector.slice(2),
    parameters: signature.inputs.map((parameter, at) => ({
      name: shownName(parameter, at),
      type: typeText(parameter),
      value: values[at] ?? '',
    })),
  }
}

/** The name in a `method_call`. */
export const nameIn = ({ method_call }: { readonly method_call: string }): string =>
  method_call.slice(0, method_call.indexOf('('))

const callText = ({ name, inputs }: AbiFunction): string =>
  `${name}(${inputs.map((input, at) => `${typeText(input)} ${shownName(input, at)}`).join(', ')})`

/** Decision 66: a parameter without a name has that of its place. Parts of tuples are not named. */
const shownName = ({ name }: AbiParameter, at: number): string => name || `arg${at}`

interface LoggedEvent {
  readonly topics: readonly Hash[]
  readonly data: Hex
}

/** A log by the signature that fits it best (`decoded`); null if none fits it. */
export function decodedEvent(
  topics: readonly Hash[],
  data: Hex,
  published: PublishedSignatures = noPublishedSignatures,
) {
  const { budget = new DecodeBudget() } = published
  const [topic] = topics
  if (topic === undefined) return null
  const fit = bestFit(eventCandidates(topics, published), {
    valuesOf: ({ inputs }: AbiEvent) => valuesOf(inputs, { topics, data }, budget),
    isExact: ({ inputs }) => isExactLog(inputs, { topics, data }, budget),
  })
  if (fit === null) return null
  const { signature, values } = fit
  return {
    method_call: `${signature.name}(${signature.inputs.map(inputText).join(', ')})`,
    method_id: topic.slice(2, 10),
    parameters: signature.inputs.map((input, at) => ({
      name: shownName(input, at),
      type: typeText(input),
      indexed: input.indexed === true,
      'indexed?': input.indexed === true,
      value: values[at] ?? '',
    })),
  }
}

const inputText = (input: AbiEventParameter, at: number): string =>
  `${typeText(input)}${input.indexed === true ? ' indexed' : ''} ${shownName(input, at)}`

const plainOf = (inputs: readonly AbiEventParameter[]) =>
  inputs.filter((input) => input.indexed !== true)

/** Indexed arguments from the topics, the others from the data; null if either does not fit. */
function valuesOf(
  inputs: readonly AbiEventParameter[],
  { topics, data }: LoggedEvent,
  budget: DecodeBudget,
): readonly ShownValue[] | null {
  const plain = decodedValues(plainOf(inputs), data, budget)
  if (plain === null) return null
  let plainAt = 0
  let topicAt = 1
  const values = inputs.map((input) =>
    input.indexed === true
      ? indexedValue(input, topics[topicAt++] ?? '0x', budget)
      : plain[plainAt++],
  )
  return values.every((value) => value !== undefined && value !== null) ? values : null
}

/** Of text, bytes, arrays and tuples a topic holds only the hash. */
const isHashed = ({ type }: AbiEventParameter): boolean =>
  /^(string|bytes|tuple.*|.*\])$/.test(type)

const indexedValue = (
  input: AbiEventParameter,
  topic: Hex,
  budget: DecodeBudget,
): ShownValue | null =>
  isHashed(input) ? topic : (decodedValues([{ type: input.type }], topic, budget)?.[0] ?? null)

function isExactLog(
  inputs: readonly AbiEventParameter[],
  { topics, data }: LoggedEvent,
  budget: DecodeBudget,
): boolean {
  const indexed = inputs.filter((input) => input.indexed === true)
  const areTopics = indexed.every(
    (input, at) =>
      isHashed(input) || isExact([{ type: input.type }], topics[at + 1] ?? '0x', budget),
  )
  return areTopics && isExact(plainOf(inputs), data, budget)
}
