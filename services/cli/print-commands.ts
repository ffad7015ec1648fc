import { type Command, commandUsage } from './command.ts'

const begin = '<!-- commands: printed by npm run print -->'
const end = '<!-- commands: end -->'

/** `page` with the table of commands between its markers renewed. @throws if they are missing */
export function withCommands(page: string, commands: readonly Command[]): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page lacks the markers ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${tableOf(commands)}\n\n${page.slice(to)}`
}

const tableOf = (commands: readonly Command[]): string =>
  [
    '| command | |',
    '|---|---|',
    ...commands.map((command) => `| \`${commandUsage(command)}\` | ${command.about} |`),
  ].join('\n')
