import { z } from 'zod'
import type { CommandName } from './command.ts'

/** What people read about a setting: a row of the README's table. */
export interface SettingRow<C extends CommandName = CommandName> {
  readonly takenBy: readonly C[]
  /** Of the value; empty where the value is a word. */
  readonly unit: string
  /** As it would be written on the command line; empty if there is none. */
  readonly default: string
  readonly bounds: string
  readonly why: string
  /**
   * `secret`: has no flag, as processes are listed with their flags, and may come from a file.
   * `file`: may come from a file too, as what it names may carry a secret.
   */
  readonly form: 'plain' | 'file' | 'secret'
}

export interface Setting<V, C extends CommandName = CommandName> {
  readonly row: SettingRow<C>
  /** Of its text, absent where nobody spoke of it. */
  readonly schema: z.ZodType<V>
}

type Told<C extends CommandName, Without extends keyof SettingRow = never> = Omit<
  SettingRow<C>,
  'form' | Without
> & { readonly form?: 'file' }

const rowOf = <C extends CommandName>(told: Omit<SettingRow<C>, 'form'> & { form?: 'file' }) => ({
  ...told,
  form: told.form ?? ('plain' as const),
})

/** Any text that is not blank. */
export const text = <const C extends CommandName>(told: Told<C>): Setting<string, C> => ({
  row: rowOf(told),
  schema: z.string().trim().min(1, 'blank').default(told.default),
})

/** Any text, or null if it is not set. */
export const textOrNone = <const C extends CommandName>(
  told: Told<C, 'default'>,
): Setting<string | null, C> => ({
  row: rowOf({ ...told, default: '' }),
  schema: z.string().trim().min(1, 'blank').nullable().default(null),
})

/** A short name of the letters that servers take in names, or none where the default is none. */
export const nameOf = <const C extends CommandName>(
  told: Told<C, 'bounds'>,
): Setting<string, C> => ({
  row: rowOf({ ...told, bounds: 'letters, digits, `.`, `_`, `-`; at most 100' }),
  schema: z
    .string()
    .regex(/^[A-Za-z0-9._-]{0,100}$/, 'no name of at most 100 letters, digits, ., _ and -')
    .min(told.default === '' ? 0 : 1, 'blank')
    .default(told.default),
})

/** Words between commas. */
export const list = <const C extends CommandName>(
  told: Told<C>,
): Setting<readonly string[], C> => ({
  row: rowOf(told),
  schema: z
    .string()
    .default(told.default)
    .transform((words) => words.split(',').map((word) => word.trim()))
    .pipe(z.array(z.string().min(1, 'a list with an empty place'))),
})

/** Null if it is not set. Never printed. */
export const secret = <const C extends CommandName>(
  told: Told<C, 'default' | 'bounds' | 'unit'>,
): Setting<string | null, C> => ({
  row: { ...told, unit: '', default: '', bounds: 'any text', form: 'secret' },
  schema: z.string().nullable().default(null),
})

/** A whole number, both ends included. */
export const whole = <const C extends CommandName>(
  told: Told<C, 'bounds'>,
  min: number,
  max: number,
): Setting<number, C> => ({
  row: rowOf({ ...told, bounds: `${min} .. ${max}` }),
  schema: wholeText(min, max).prefault(told.default),
})

/** A whole number, or null if it is not set. */
export const wholeOrNone = <const C extends CommandName>(
  told: Told<C, 'bounds' | 'default'>,
  min: number,
  max: number,
): Setting<number | null, C> => ({
  row: rowOf({ ...told, default: '', bounds: `${min} .. ${max}` }),
  schema: wholeText(min, max)
    .optional()
    .transform((value) => value ?? null),
})

/** A whole number; there is no default. */
export const wholeToGive = <const C extends CommandName>(
  told: Told<C, 'bounds' | 'default'>,
  min: number,
  max: number,
): Setting<number, C> => ({
  row: rowOf({ ...told, default: '', bounds: `${min} .. ${max}` }),
  schema: z.string(`missing: it is a whole number, ${min} .. ${max}`).pipe(wholeText(min, max)),
})

type Words = readonly [string, ...string[]]

export const choice = <const C extends CommandName, const W extends Words>(
  told: Told<C, 'bounds'>,
  words: W,
): Setting<W[number], C> => ({
  row: rowOf({ ...told, bounds: words.join(', ') }),
  schema: z
    .string()
    .default(told.default)
    .pipe(z.enum(words, { error: `none of ${words.join(', ')}` })),
})

/** One of the words; there is no default. */
export const choiceToMake = <const C extends CommandName, const W extends Words>(
  told: Told<C, 'bounds' | 'default'>,
  words: W,
): Setting<W[number], C> => ({
  row: rowOf({ ...told, default: '', bounds: words.join(', ') }),
  schema: z
    .string(`missing: it is one of ${words.join(', ')}`)
    .pipe(z.enum(words, { error: `none of ${words.join(', ')}` })),
})

/** `true` or `false`; the bare flag means true. */
export const yesOrNo = <const C extends CommandName>(
  told: Told<C, 'unit' | 'bounds'>,
): Setting<boolean, C> => ({
  row: rowOf({ ...told, unit: '', bounds: 'false, true' }),
  schema: z
    .string()
    .default(told.default)
    .pipe(z.enum(['false', 'true'], { error: 'neither false nor true' }))
    .transform((word) => word === 'true'),
})

function wholeText(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'not a whole number')
    .transform(Number)
    .pipe(z.int().min(min, `below ${min}`).max(max, `above ${max}`))
}
