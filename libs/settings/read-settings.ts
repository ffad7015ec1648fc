import { nearest } from './nearest.ts'
import { type Settings, settings } from './settings.ts'

/** A setting that is unknown or out of its bounds; the message names it. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting'
}

const prefix = 'FOLDSCAN_'

export const settingKeys = Object.keys(settings.shape)

/** `dataDir` -> `data-dir` */
export const settingName = (key: string) =>
  key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `dataDir` -> `FOLDSCAN_DATA_DIR` */
export const environmentName = (key: string) =>
  prefix + settingName(key).replaceAll('-', '_').toUpperCase()

/**
 * Flags by key, as text, win over `FOLDSCAN_*` of the environment; the rest are defaults.
 * A blank environment variable counts as absent, as compose files write it so.
 * @throws BadSetting with every complaint, a sentence each
 */
export function readSettings(
  flags: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const told = new Map<string, { text: string; as: string }>()
  const complaints: string[] = []
  const byVariable = new Map(settingKeys.map((key) => [environmentName(key), key]))
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || !value?.trim()) continue
    const key = byVariable.get(variable)
    if (key) told.set(key, { text: value, as: variable })
    else complaints.push(unknown(variable, [...byVariable.keys()]))
  }
  for (const [key, value] of Object.entries(flags)) {
    if (settingKeys.includes(key)) told.set(key, { text: value, as: `--${settingName(key)}` })
    else complaints.push(unknown(`--${settingName(key)}`, flagNames()))
  }
  const texts = Object.fromEntries([...told].map(([key, { text }]) => [key, text]))
  const read = settings.safeParse(texts)
  for (const issue of read.error?.issues ?? []) {
    const teller = told.get(String(issue.path[0]))
    if (teller) complaints.push(`${teller.as} is ${issue.message}: '${teller.text}'.`)
    else complaints.push(`${String(issue.path[0])}: ${issue.message}.`)
  }
  if (read.data && complaints.length === 0) return read.data
  throw new BadSetting(complaints.join('\n'))
}

const flagNames = () => settingKeys.map((key) => `--${settingName(key)}`)

const unknown = (name: string, names: readonly string[]) =>
  `There is no setting ${name}; the nearest is ${nearest(name, names)}.`
