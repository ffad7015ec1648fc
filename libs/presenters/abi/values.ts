import type { AbiParameter } from 'abitype'

/** A decoded value as bodies show it: text, or lists of texts for arrays and tuples. */
export type ShownValue = string | readonly ShownValue[]

/** Integers in decimal, bytes as hex, tuples as lists; addresses come checksummed. */
export function safeValue(value: unknown): ShownValue {
  if (Array.isArray(value)) return value.map(safeValue)
  if (typeof value === 'object' && value !== null) return Object.values(value).map(safeValue)
  return String(value)
}

/** A parameter's type as signatures write it: tuples by their parts. */
export function typeText(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  const parts = parameter.components.map(typeText).join(',')
  return `(${parts})${parameter.type.slice('tuple'.length)}`
}
