import { z } from 'zod'

/** What people read about a setting: the row of the README's table. */
export interface SettingRow {
  /** Of the value; empty where the value is a word. */
  readonly unit: string
  /** As it would be written on the command line; empty if there is none. */
  readonly default: string
  readonly bounds: string
  readonly why: string
}

export const settingRows = z.registry<SettingRow>()

type Told = Omit<SettingRow, 'bounds'>

/** Any text that is not blank. */
export const text = (told: Told & { readonly bounds: string }) =>
  z.string().trim().min(1, 'blank').prefault(told.default).register(settingRows, told)

/** A whole number, both ends included. */
export const whole = (told: Told, min: number, max: number) =>
  wholeText(min, max)
    .prefault(told.default)
    .register(settingRows, { ...told, bounds: `${min} .. ${max}` })

/** A whole number, or null if it is not set. */
export const wholeOrNone = (told: Omit<Told, 'default'>, min: number, max: number) =>
  wholeText(min, max)
    .optional()
    .transform((value) => value ?? null)
    .register(settingRows, { ...told, default: '', bounds: `${min} .. ${max}` })

export const choice = <const W extends readonly [string, ...string[]]>(told: Told, words: W) =>
  z
    .string()
    .prefault(told.default)
    .pipe(z.enum(words, { error: `none of ${words.join(', ')}` }))
    .register(settingRows, { ...told, bounds: words.join(', ') })

/** `true` or `false`; the bare flag means true. */
export const yesOrNo = (told: Omit<Told, 'unit'>) =>
  z
    .string()
    .prefault(told.default)
    .pipe(z.enum(['false', 'true'], { error: 'neither false nor true' }))
    .transform((word) => word === 'true')
    .register(settingRows, { ...told, unit: '', bounds: 'false, true' })

function wholeText(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'not a whole number')
    .transform(Number)
    .pipe(z.int().min(min, `below ${min}`).max(max, `above ${max}`))
}
