import { environmentName, settingName } from './read-settings.ts'
import { settingRows } from './setting.ts'
import { settings } from './settings.ts'

/** The table of all settings, as Markdown. */
export function printSettings(): string {
  const rows = Object.entries(settings.shape).map(([key, schema]) => {
    const row = settingRows.get(schema)
    if (!row) throw new Error(`setting ${key} has no row: declare it with the words of setting.ts`)
    const names = `\`--${settingName(key)}\`<br>\`${environmentName(key)}\``
    return `| ${names} | ${row.unit || '-'} | ${code(row.default)} | ${row.bounds} | ${row.why} |`
  })
  return ['| setting | unit | default | bounds | why |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  )
}

const code = (text: string) => (text ? `\`${text}\`` : '-')

const begin = '<!-- settings: printed by npm run print -->'
const end = '<!-- settings: end -->'

/** `page` with the table between its markers renewed. @throws if the markers are missing */
export function withSettings(page: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page lacks the markers ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${printSettings()}\n\n${page.slice(to)}`
}
