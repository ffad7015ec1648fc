import { environmentName, fileName, settingName } from './read-settings.ts'
import { type CommandName, commandNames, type Setting, type SettingRow } from './setting.ts'
import { sections } from './settings.ts'

/** The tables of all settings, as Markdown. */
export function printSettings(): string {
  return Object.entries(sections)
    .map(([heading, rows]) => `### ${heading}\n\n${printed(rows)}`)
    .join('\n\n')
}

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

/** A command with subcommands once, with those of them that take the setting. */
function takersOf({ takenBy }: SettingRow): string {
  if (takenBy.length === commandNames.length) return 'all'
  const names = takenBy.map((name) => name.split(' ')[0] ?? name)
  return [...new Set(names)]
    .map((first) => {
      const isOf = (name: CommandName) => name.startsWith(`${first} `)
      const taking = takenBy.filter(isOf)
      if (taking.length === commandNames.filter(isOf).length) return first
      return `${first} (${taking.map((name) => name.slice(first.length + 1)).join(', ')})`
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

const begin = '<!-- settings: printed by npm run print -->'
const end = '<!-- settings: end -->'

/** `page` with the tables between its markers renewed. @throws if the markers are missing */
export function withSettings(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page lacks the markers ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${printSettings()}\n\n${page.slice(to)}`
}
