import { formatUnits } from 'viem'
import type { addressObject } from './address.ts'
import type { TokenObject } from './token.ts'

/** A value that stands in a sentence's placeholder. */
export type Variable =
  | { readonly type: 'string' | 'currency' | 'method'; readonly value: string }
  | { readonly type: 'token'; readonly value: TokenObject }
  | { readonly type: 'address'; readonly value: ReturnType<typeof addressObject> }

/** A sentence with `{name}` placeholders; each but `{native}` has its variable. */
export interface Sentence {
  readonly summary_template: string
  readonly summary_template_variables: Readonly<Record<string, Variable>>
}

export const text = (value: string): Variable => ({ type: 'string', value })

/** An amount of smallest units as a decimal number of whole ones. */
export const shownAmount = (value: bigint, decimals: number): Variable => ({
  type: 'currency',
  value: formatUnits(value, decimals),
})
