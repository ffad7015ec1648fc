import { readFileSync } from 'node:fs'
import { redacted } from '../signals/logger.ts'
import type { CommandName, Setting } from './setting.ts'
import { type SettingsOf, settings, settingsTakenBy } from './settings.ts'

/** A setting that is unknown or out of its bounds; the message names it. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting'
}

const prefix = 'FOLDSCAN_'
const fileSuffix = '_FILE'

/** `dataDir` -> `data-dir` */
export const settingName = (key: string) =>
  key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `dataDir` -> `FOLDSCAN_DATA_DIR` */
export const environmentName = (key: string) =>
  prefix + settingName(key).replaceAll('-', '_').toUpperCase()

/** Names the file that contains the value. */
export const fileName = (key: string) => environmentName(key) + fileSuffix

/** Where the settings of a command are given. */
export interface SettingInputs {
  /** By key, as text; they win over the environment. */
  readonly flags: Readonly<Record<string, string>>
  /**
   * `FOLDSCAN_*` of it. A blank one counts as absent, because compose files write it so. The
   * processes of a deployment may share one: variables of other commands are ignored.
   */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly readFile?: (path: string) => string
}

/** A value, and the name by which it was given: for complaints. */
interface GivenText {
  readonly text: string
  readonly as: string
}

/** Defaults where nothing is given. @throws InvalidSetting with every complaint, a sentence each */
export function readSettings<C extends CommandName>(
  command: C,
  inputs: SettingInputs,
): SettingsOf<C> {
  const complaints: string[] = []
  const taken = settingsTakenBy(command)
  const keys = taken.map(([key]) => key)
  const given = givenIn(inputs, keys, complaints)
  const flagged = keys.filter((key) => formOf(key) !== 'secret')
  for (const [key, text] of Object.entries(inputs.flags)) {
    if (flagged.includes(key)) given.set(key, { text, as: flagOf(key) })
    else if (keys.includes(key)) complaints.push(flagless(key))
    else complaints.push(unknown(flagOf(key), flagged.map(flagOf)))
  }
  const values: Record<string, unknown> = {}
  for (const [key, setting] of taken) {
    const text = given.get(key)?.text
    if (text === undefined && setting.row.requiredBy.includes(command)) {
      complaints.push(setting.row.missing ?? missing(key, setting))
      continue
    }
    const read = setting.schema.safeParse(text)
    if (read.success) values[key] = read.data
    else for (const { message } of read.error.issues) complaints.push(complaint(key, message))
  }
  if (complaints.length > 0) throw new InvalidSetting(complaints.join('\n'))
  // Each key was parsed by its own schema; which keys a command takes only the types know.
  return values as SettingsOf<C>

  function complaint(key: string, message: string): string {
    const input = given.get(key)
    if (input === undefined) return `${flagOf(key)} is ${message}.`
    if (formOf(key) === 'secret') return `${input.as} is ${message}.`
    return `${input.as} is ${message}: '${redacted(input.text)}'.`
  }
}

/** By key, what flags and environment give for the settings of a command; nothing is checked. */
function givenTexts(command: CommandName, inputs: SettingInputs): Map<string, string> {
  const keys = settingsTakenBy(command).map(([key]) => key)
  const given = givenIn(inputs, keys, [])
  const flags = Object.entries(inputs.flags).filter(([key]) => keys.includes(key))
  return new Map([...[...given].map(([key, { text }]) => [key, text] as const), ...flags])
}

const all: Readonly<Record<string, Setting<unknown>>> = settings
export const settingKeys = Object.keys(all)
const formOf = (key: string) => all[key]?.row.form
const flagOf = (key: string) => `--${settingName(key)}`

/** By variable, the key that it sets. */
const variables = new Map<string, { key: string; isFile: boolean }>([
  ...settingKeys.map((key) => [environmentName(key), { key, isFile: false }] as const),
  ...settingKeys
    .filter((key) => formOf(key) !== 'plain')
    .map((key) => [fileName(key), { key, isFile: true }] as const),
])

/** Values of these settings in the environment; complaints go to the list. */
function givenIn(
  { environment, readFile = (path) => readFileSync(path, 'utf8') }: SettingInputs,
  keys: readonly string[],
  complaints: string[],
): Map<string, GivenText> {
  const given = new Map<string, GivenText>()
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || !value?.trim()) continue
    const variable = variables.get(name)
    if (variable === undefined) {
      complaints.push(unknown(name, [...variables.keys()]))
      continue
    }
    const { key, isFile } = variable
    if (!keys.includes(key)) continue
    const other = given.get(key)
    if (other) complaints.push(`${other.as} and ${name} are both set: keep one.`)
    const text = isFile ? fromFile(value, readFile) : value
    if (text === null) complaints.push(`${name}: the file ${value} cannot be read.`)
    else given.set(key, { text, as: name })
  }
  return given
}

/** Editors end a file with a line end: it is not part of the secret. */
function fromFile(path: string, readFile: (path: string) => string): string | null {
  try {
    return readFile(path).replace(/\r?\n$/, '')
  } catch {
    return null
  }
}

const missing = (key: string, { row }: Setting<unknown>) =>
  `${flagOf(key)} is missing: ${row.why} (${row.bounds}).`

const flagless = (key: string) =>
  `${settingName(key)} has no flag, because other users can list the flags of a process: set ` +
  `${environmentName(key)}, or ${fileName(key)} to the file that contains it.`

const unknown = (name: string, names: readonly string[]) =>
  `There is no setting ${name}; the nearest is ${nearest(name, names)}.`

/** The name that takes the fewest typing mistakes to become `word`. `names` is not empty. */
function nearest(word: string, names: readonly string[]): string {
  let best = ''
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const mistakes = distance(word, name)
    if (mistakes < fewest) [best, fewest] = [name, mistakes]
  }
  return best
}

/** Levenshtein, row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const below = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      below.push(Math.min(swap, (row[j] ?? 0) + 1, (below[j - 1] ?? 0) + 1))
    }
    row = below
  }
  return row[b.length] ?? 0
}

/**
 * A command for people to paste into a shell: with its own flags first, then those of the settings
 * in force here that it takes, too. A value that contains a secret stays in the environment. A
 * setting that is required and not known here is a word in capitals.
 *
 * @param own by key, as text
 */
export function commandLine(
  name: CommandName,
  inputs: SettingInputs,
  own: Readonly<Record<string, string>> = {},
): string {
  const given = givenTexts(name, inputs)
  const isOwn = ([key]: readonly [string, unknown]) => key in own
  const taken = settingsTakenBy(name)
  const ordered = [...taken.filter(isOwn), ...taken.filter((one) => !isOwn(one))]
  const words = ordered.flatMap(([key, { row }]) => {
    const flag = `--${settingName(key)}`
    const text = own[key] ?? given.get(key)
    if (text === undefined) {
      return row.requiredBy.includes(name) ? [flag, row.unit.toUpperCase()] : []
    }
    if (row.form === 'secret' || redacted(text) !== text || text === row.default) return []
    if (row.form === 'flag') return [text === 'true' ? flag : `${flag}=${text}`]
    return [flag, quoted(text)]
  })
  return ['npx foldscan', name, ...words].join(' ')
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
