import { z } from 'zod'
import {
  type AbiEntry,
  type AbiInput,
  abiDepthMax,
  abiInputsMax,
  abiTextCharactersMax,
  abiType,
  entryText,
  inputName,
  isEntryName,
} from '../../chain/abi-entry.ts'

/** Entries of an ABI that nothing is decoded by. */
const others = new Set(['constructor', 'fallback', 'receive', 'error'])

const head = z.object({
  /** Old compilers leave out that of a function. */
  type: z.string().default('function'),
  name: z.string().optional(),
  inputs: z.array(z.unknown()).max(abiInputsMax).default([]),
  anonymous: z.boolean().optional(),
})

const inputForm = z.object({
  name: z.string().default(''),
  type: z.string().max(1_024),
  indexed: z.boolean().default(false),
  components: z.array(z.unknown()).max(abiInputsMax).default([]),
})

/** An entry of an ABI: `'other'` for one that nothing is decoded by, else why it is none. */
export type AbiJson = { readonly entry: AbiEntry } | 'other' | { readonly invalid: string }

/** Never throws, and goes no deeper than an entry may. */
export function abiJson(json: unknown): AbiJson {
  const { data, error } = head.safeParse(json)
  if (data === undefined) return { invalid: error.issues[0]?.message ?? 'not an object' }
  const { type: kind, name = '', anonymous = false } = data
  if (others.has(kind) || anonymous) return 'other'
  if (kind !== 'function' && kind !== 'event') return { invalid: `no type ${kind.slice(0, 40)}` }
  if (!isEntryName(name)) return { invalid: `not a name: ${name.slice(0, 40)}` }
  const inputs = inputsOf(data.inputs, new Budget())
  if (typeof inputs === 'string') return { invalid: `${name}: ${inputs}` }
  const entry: AbiEntry = { kind, name, inputs }
  return entryText(entry).length > abiTextCharactersMax
    ? { invalid: `${name}: above ${abiTextCharactersMax} characters` }
    : { entry }
}

class Budget {
  inputs = 0
  depth = 0
}

/** @returns why they are none. */
function inputsOf(list: readonly unknown[], budget: Budget): readonly AbiInput[] | string {
  if (budget.depth > abiDepthMax) return `tuples deeper than ${abiDepthMax}`
  const inputs: AbiInput[] = []
  for (const one of list) {
    if (++budget.inputs > abiInputsMax) return `above ${abiInputsMax} inputs`
    const { data } = inputForm.safeParse(one)
    if (data === undefined) return 'an input without a type'
    const type = abiType(data.type)
    if (type === null) return `no type of a call: ${data.type.slice(0, 40)}`
    budget.depth += 1
    const isTuple = type.startsWith('tuple')
    const components = isTuple ? inputsOf(data.components, budget) : []
    budget.depth -= 1
    if (isTuple && components.length === 0) return 'a tuple without components'
    if (typeof components === 'string') return components
    inputs.push({ name: inputName(data.name), type, isIndexed: data.indexed, components })
  }
  return inputs
}
