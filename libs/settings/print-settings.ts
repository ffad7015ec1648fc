import { commandNames } from './command.ts'
import { environmentName, fileName, settingName } from './read-settings.ts'
import type { Setting } from './setting.ts'
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
    const takers = row.takenBy.length === commandNames.length ? 'all' : row.takenBy.join(', ')
    const cells = [names, row.unit || '-', code(row.default), row.bounds, takers, row.why]
    return `| ${cells.join(' | ')} |`
  })
  return [
    '| setting | unit | default | bounds | taken by | why |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function namesOf(key: string, form: Setting<unknown>['row']['form']): string[] {
  const flag = `--${settingName(key)}`
  switch (form) {
    case 'plain':
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
