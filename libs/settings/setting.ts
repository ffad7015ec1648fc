import { isIP } from 'node:net'
import { z } from 'zod'

/** Commands of `foldscan`; two words are a command and its subcommand. */
export const commandNames = [
  'up',
  'ingestor',
  'enricher',
  'projector',
  'api',
  'migrate',
  'topics create',
  'topics check',
  'topics describe',
  'topics schema',
  'versions',
  'verify',
  'drop',
  'state copy',
  'lag',
  'compare',
  'audit',
  'repair',
  'log export',
  'log import',
  'dead-letters list',
  'dead-letters replay',
  'dead-letters acknowledge',
  'import abi',
  'import holders',
  'import labels',
  'import prices',
  'import signatures',
  'import tokens',
  'keys add',
  'keys list',
  'keys revoke',
] as const

export type CommandName = (typeof commandNames)[number]

/** What people read about a setting: a row of `deploy/SETTINGS.md`, a line of `--help`. */
export interface SettingRow<C extends CommandName = CommandName> {
  readonly takenBy: readonly C[]
  /** Those of them that refuse to start without it. */
  readonly requiredBy: readonly C[]
  /** What the value is: a unit, or a kind of name; empty for a flag. */
  readonly unit: string
  /** As it would be written on the command line; empty if there is none. */
  readonly default: string
  readonly bounds: string
  readonly why: string
  /** Complaint where it is required and absent; by default it is made of the bounds. */
  readonly missing: string | null
  /**
   * `flag`: true or false; the bare flag means true.
   * `secret`: has no flag, because other users can list the flags of a process; may be read from a
   * file. `file`: may be read from a file too, because the value may contain a secret.
   */
  readonly form: 'plain' | 'flag' | 'file' | 'secret'
}

/** What a value may be in a document, as JSON Schema: Helm's values are checked against it. */
export type ValueSchema =
  | { readonly type: 'string'; readonly minLength?: number; readonly pattern?: string }
  | { readonly type: 'string'; readonly enum: readonly string[] }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'array'; readonly minItems: 1; readonly items: ValueSchema }
  | { readonly type: 'boolean' }

export interface Setting<V, C extends CommandName = CommandName> {
  readonly row: SettingRow<C>
  readonly values: ValueSchema
  /** Parses its text; undefined where it was not given. */
  readonly schema: z.ZodType<V>
}

type RowOptions<C extends CommandName, Without extends keyof SettingRow = never> = Omit<
  SettingRow<C>,
  'form' | 'requiredBy' | 'missing' | Without
> & { readonly form?: 'file'; readonly requiredBy?: readonly C[]; readonly missing?: string }

const rowOf = <C extends CommandName>({
  form,
  requiredBy = [],
  missing,
  ...row
}: RowOptions<C>): SettingRow<C> => ({
  ...row,
  form: form ?? 'plain',
  requiredBy,
  missing: missing ?? null,
})

const notBlank: ValueSchema = { type: 'string', pattern: '\\S' }
const nameForm = '^[A-Za-z0-9._-]{0,100}$'
const rangeForm = '^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$'
const accountForm = '^(none|0x[0-9A-Fa-f]{40})$'
const namedForm = '^[A-Za-z0-9._-]{1,100}$'

/** Any text that is not blank. */
export const textSetting = <const C extends CommandName>(
  options: RowOptions<C>,
): Setting<string, C> => ({
  row: rowOf(options),
  values: notBlank,
  schema: z.string().trim().min(1, 'blank').default(options.default),
})

/** Any text, or null if it is not set. */
export const optionalText = <const C extends CommandName>(
  options: RowOptions<C, 'default'>,
): Setting<string | null, C> => ({
  row: rowOf({ ...options, default: '' }),
  values: notBlank,
  schema: z.string().trim().min(1, 'blank').nullable().default(null),
})

/** Any text that is not blank; there is no default. */
export const requiredText = <const C extends CommandName>(
  options: RowOptions<C, 'default'>,
): Setting<string, C> => ({
  row: rowOf({ ...options, default: '', requiredBy: options.takenBy }),
  values: notBlank,
  schema: z.string().trim().min(1, 'blank'),
})

/** A short name of the letters that servers accept in names; may be empty if the default is. */
export const nameSetting = <const C extends CommandName>(
  options: RowOptions<C, 'bounds' | 'unit'>,
): Setting<string, C> => ({
  row: rowOf({ ...options, unit: 'name', bounds: 'letters, digits, `.`, `_`, `-`; at most 100' }),
  values: { type: 'string', pattern: options.default === '' ? nameForm : namedForm },
  schema: z
    .string()
    .regex(new RegExp(nameForm), 'no name of at most 100 letters, digits, ., _ and -')
    .min(options.default === '' ? 0 : 1, 'blank')
    .default(options.default),
})

/** Values separated by commas. */
export const listSetting = <const C extends CommandName>(
  options: RowOptions<C>,
): Setting<readonly string[], C> => ({
  row: rowOf(options),
  values: { type: 'array', minItems: 1, items: notBlank },
  schema: z
    .string()
    .default(options.default)
    .transform((words) => words.split(',').map((word) => word.trim()))
    .pipe(z.array(z.string().min(1, 'a list with an empty place'))),
})

/** Addresses and CIDR ranges separated by commas; none by default. */
export const rangesSetting = <const C extends CommandName>(
  options: RowOptions<C, 'bounds' | 'default' | 'unit'>,
): Setting<readonly string[], C> => ({
  row: rowOf({
    ...options,
    unit: 'address',
    default: '',
    bounds: 'addresses, or ranges as 10.0.0.0/8, separated by commas',
  }),
  values: { type: 'array', minItems: 1, items: { type: 'string', pattern: rangeForm } },
  schema: z
    .string()
    .transform((words) => words.split(',').map((word) => word.trim()))
    .pipe(z.array(z.string().refine(isRange, 'no list of addresses and CIDR ranges')))
    .default([]),
})

/** Addresses of accounts separated by commas, none for `none`; null if it is not set. */
export const optionalAccounts = <const C extends CommandName>(
  options: RowOptions<C, 'bounds' | 'unit' | 'default'>,
  countMax: number,
): Setting<readonly string[] | null, C> => ({
  row: rowOf({
    ...options,
    unit: 'address',
    default: '',
    bounds: `at most ${countMax} addresses separated by commas, or none`,
  }),
  values: { type: 'array', minItems: 1, items: { type: 'string', pattern: accountForm } },
  schema: z
    .string()
    .transform((words) =>
      words.trim() === 'none' ? [] : words.split(',').map((word) => word.trim().toLowerCase()),
    )
    .pipe(z.array(accountText).max(countMax, `more than ${countMax} addresses`))
    .nullable()
    .default(null),
})

const accountText = z.string().regex(/^0x[0-9a-f]{40}$/, 'no list of addresses of 40 hex digits')

/** Whether a text is an address, or a range as `10.0.0.0/8`. */
function isRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

/** Null if it is not set. Never printed. */
export const secretSetting = <const C extends CommandName>(
  options: RowOptions<C, 'default' | 'bounds' | 'unit'>,
): Setting<string | null, C> => ({
  row: {
    ...rowOf({ ...options, unit: 'text', default: '', bounds: 'any text' }),
    form: 'secret',
  },
  values: notBlank,
  schema: z.string().nullable().default(null),
})

/** A whole number, both ends included. */
export const integerSetting = <const C extends CommandName>(
  options: RowOptions<C, 'bounds'>,
  min: number,
  max: number,
): Setting<number, C> => ({
  row: rowOf({ ...options, bounds: range(min, max) }),
  values: { type: 'integer', minimum: min, maximum: max },
  schema: wholeText(min, max).prefault(options.default),
})

/** A whole number, or null if it is not set. */
export const optionalInteger = <const C extends CommandName>(
  options: RowOptions<C, 'bounds' | 'default'>,
  min: number,
  max: number,
): Setting<number | null, C> => ({
  row: rowOf({ ...options, default: '', bounds: range(min, max) }),
  values: { type: 'integer', minimum: min, maximum: max },
  schema: wholeText(min, max)
    .optional()
    .transform((value) => value ?? null),
})

/** A whole number; there is no default. */
export const requiredInteger = <const C extends CommandName>(
  options: RowOptions<C, 'bounds' | 'default'>,
  min: number,
  max: number,
): Setting<number, C> => ({
  row: rowOf({ ...options, default: '', bounds: range(min, max), requiredBy: options.takenBy }),
  values: { type: 'integer', minimum: min, maximum: max },
  schema: wholeText(min, max),
})

type Words = readonly [string, ...string[]]

export const choiceSetting = <const C extends CommandName, const W extends Words>(
  options: RowOptions<C, 'bounds'>,
  words: W,
): Setting<W[number], C> => ({
  row: rowOf({ ...options, bounds: words.join(', ') }),
  values: { type: 'string', enum: words },
  schema: z
    .string()
    .default(options.default)
    .pipe(z.enum(words, { error: `none of ${words.join(', ')}` })),
})

/** One of the words; there is no default. */
export const requiredChoice = <const C extends CommandName, const W extends Words>(
  options: RowOptions<C, 'bounds' | 'default'>,
  words: W,
): Setting<W[number], C> => ({
  row: rowOf({
    ...options,
    default: '',
    bounds: words.join(', '),
    requiredBy: options.takenBy,
  }),
  values: { type: 'string', enum: words },
  schema: z.enum(words, { error: `none of ${words.join(', ')}` }),
})

/** `true` or `false`; the bare flag means true, and without it the setting is false. */
export const booleanSetting = <const C extends CommandName>(
  options: RowOptions<C, 'unit' | 'bounds' | 'default'>,
): Setting<boolean, C> => ({
  row: {
    ...rowOf({ ...options, unit: '', default: 'false', bounds: 'false, true' }),
    form: 'flag',
  },
  values: { type: 'boolean' },
  schema: z
    .string()
    .default('false')
    .pipe(z.enum(['false', 'true'], { error: 'neither false nor true' }))
    .transform((word) => word === 'true'),
})

const range = (min: number, max: number) =>
  max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} .. ${max}`

function wholeText(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'not a whole number')
    .transform(Number)
    .pipe(z.int().min(min, `below ${min}`).max(max, `above ${max}`))
}
