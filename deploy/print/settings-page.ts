import { commandClasses } from '../../libs/settings/command-classes.ts'
import { environmentName, fileName, settingName } from '../../libs/settings/read-settings.ts'
import {
  type CommandName,
  commandNames,
  type Setting,
  type SettingRow,
} from '../../libs/settings/setting.ts'
import { sections } from '../../libs/settings/settings.ts'
import { between, markersOf } from './between.ts'

/** Classes of commands, and the tables of all settings, as Markdown. */
export function printSettings(): string {
  const tables = Object.entries(sections).map(
    ([heading, rows]) => `## ${heading}\n\n${printed(rows)}`,
  )
  return [printedClasses(), ...tables].join('\n\n')
}

const printedClasses = (): string =>
  [
    '| class | commands |',
    '|---|---|',
    ...Object.entries(commandClasses)
      .map(([name, commands]) => [name, name === 'all' ? 'every command' : listed(commands)])
      .filter(([name, commands]) => commands !== name)
      .map(([name, commands]) => `| ${name} | ${commands} |`),
  ].join('\n')

function printed(section: Readonly<Record<string, Setting<unknown>>>): string {
  const rows = Object.entries(section).map(([key, { row }]) => {
    const names = namesOf(key, row.form).map(code).join('<br>')
    const cells = [names, row.unit || '-', defaultOf(row), row.bounds, takersOf(row), row.why]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| setting | value | default | bounds | taken by | meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const defaultOf = ({ default: value, requiredBy }: SettingRow): string => {
  if (requiredBy.length === 0) return code(value)
  return value ? `${code(value)}; required by ${requiredBy.join(', ')}` : 'required'
}

/** The class of the commands; of one or two commands without a class, these. */
function takersOf({ takenBy }: SettingRow): string {
  const found = Object.entries(commandClasses).find(([, commands]) => areSame(commands, takenBy))
  return found?.[0] ?? listed(takenBy)
}

const areSame = (some: readonly CommandName[], others: readonly CommandName[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name))

/** A command with subcommands once, with those of them that are meant. */
function listed(commands: readonly CommandName[]): string {
  const names = commands.map((name) => name.split(' ')[0] ?? name)
  return [...new Set(names)]
    .map((first) => {
      const isOf = (name: CommandName) => name.startsWith(`${first} `)
      const meant = commands.filter(isOf)
      if (meant.length === commandNames.filter(isOf).length) return first
      return `${first} (${meant.map((name) => name.slice(first.length + 1)).join(', ')})`
    })
    .join(', ')
}

function namesOf(key: string, form: Setting<unknown>['row']['form']): string[] {
  const flag = `--${settingName(key)}`
  switch (form) {
    case 'plain':
    case 'flag':
      return [flag, environmentName(key)]
    case 'file':
      return [flag, environmentName(key), fileName(key)]
    case 'secret':
      return [environmentName(key), fileName(key)]
  }
}

const code = (text: string) => (text ? `\`${text}\`` : '-')

/** `page` with the tables between its markers renewed. @throws if the markers are missing */
export const withSettings = (page: string): string =>
  between(page, markersOf('settings'), printSettings())
