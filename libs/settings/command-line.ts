import { redacted } from '../signals/redact.ts'
import { givenTexts, type SettingInputs, settingName } from './read-settings.ts'
import type { CommandName } from './setting.ts'
import { settingsTakenBy } from './settings.ts'

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
