import { Argument, Command as Commander, Help, Option } from 'commander'
import { environmentName, fileName, settingName } from '../../libs/settings/read-settings.ts'
import type { CommandName, SettingRow } from '../../libs/settings/setting.ts'
import { sections, settings } from '../../libs/settings/settings.ts'
import { version } from '../../libs/signals/version.ts'
import { type Command, wordForm } from './command.ts'
import { commandFamilies } from './commands.ts'

interface ProgramOptions {
  readonly commands: readonly Command[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called with the exit code of the command that was run. */
  readonly onExit: (code: number) => void
}

/** The command line: parses words, prints help. @throws CommanderError for a wrong word */
export function program({ commands, environment, onExit }: ProgramOptions): Commander {
  const top = new Commander('foldscan')
    .description('Read backend of a blockchain explorer: indexes a chain and serves its API.')
    // `--version` after the name of a command is its own.
    .enablePositionalOptions()
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    // Printed by the caller, as every other failure.
    .configureOutput({ outputError: () => {} })
    .configureHelp({ optionTerm: ({ flags }) => flags.replace(booleanForm, ''), formatItem })
  for (const command of commands) {
    const parsed = placeOf(command.name, top).description(command.about)
    for (const word of command.words) parsed.addArgument(new Argument(wordForm(word)))
    addOptions(parsed, command.name)
    parsed.action(async () => {
      const flags = Object.fromEntries(
        Object.entries(parsed.opts()).map(([key, value]) => [key, String(value)]),
      )
      onExit(await command.run({ flags, environment }, parsed.args))
    })
  }
  return top
}

/** The parser's only: people write `--json`, or `--json=false`. */
const booleanForm = ' [boolean]'

const flagNames = new Set(
  Object.entries(settings)
    .filter(([, { row }]) => row.form === 'flag')
    .map(([key]) => `--${settingName(key)}`),
)

/** `--json` becomes `--json=true`: the parser would take the next word for its value. */
export const withBooleanValues = (words: readonly string[]): string[] =>
  words.map((word) => (flagNames.has(word) ? `${word}=true` : word))

const shortTermMax = 24
const indent = 8
const widthByDefault = 80

/** Long names push a column of descriptions out of sight: they get a line of their own. */
function formatItem(...item: Parameters<Help['formatItem']>): string {
  const [term, width, description, help] = item
  if (width <= shortTermMax) {
    return Help.prototype.formatItem.call(help, ...item)
  }
  const lines = help.boxWrap(description, (help.helpWidth ?? widthByDefault) - indent).split('\n')
  return [`  ${term}`, ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')
}

/** Commander's own object for a name of one or two words. */
function placeOf(name: CommandName, top: Commander): Commander {
  const [first = '', second] = name.split(' ')
  if (second === undefined) return top.command(first)
  const family = top.commands.find((each) => each.name() === first) ?? top.command(first)
  return family
    .description(commandFamilies[first] ?? '')
    .helpCommand(false)
    .command(second)
}

/** The command's own flags first, then those of the servers that it connects to. */
function addOptions(parsed: Commander, command: CommandName): void {
  const { Operators, Process, ...servers } = sections
  const groups = { Options: { ...Operators, ...Process }, ...servers }
  const secrets: string[] = []
  for (const [heading, rows] of Object.entries(groups)) {
    for (const [key, { row }] of Object.entries(rows)) {
      if (!takes(row, command)) continue
      if (row.form === 'secret') secrets.push(secretLines(key, row))
      else parsed.addOption(optionOf(key, row, command).helpGroup(`${heading}:`))
    }
  }
  if (secrets.length > 0) {
    parsed.addHelpText('after', ['\nEnvironment only:', ...secrets].join('\n'))
  }
}

const takes = ({ takenBy }: SettingRow, command: CommandName) => takenBy.includes(command)

function optionOf(key: string, row: SettingRow, command: CommandName): Option {
  const value = row.form === 'flag' ? booleanForm : ` <${row.unit}>`
  return new Option(`--${settingName(key)}${value}`, describe(key, row, command))
}

function describe(key: string, row: SettingRow, command: CommandName): string {
  const isRequired = row.requiredBy.includes(command)
  const facts = [
    ...(isRequired ? ['required'] : []),
    ...(row.form === 'flag' ? [] : valueFacts(row, isRequired)),
    environmentName(key),
    ...(row.form === 'file' ? [fileName(key)] : []),
  ]
  return `${row.why} (${facts.join('; ')})`
}

const valueFacts = ({ default: value, bounds }: SettingRow, isRequired: boolean) => [
  ...(value && !isRequired ? [`default ${value}`] : []),
  bounds.replaceAll('`', ''),
]

/** In the form of the flags. */
function secretLines(key: string, { why }: SettingRow): string {
  const about = `${why} (or in a file: ${fileName(key)} is its path)`
  const lines = new Help().boxWrap(about, widthByDefault - indent).split('\n')
  return [`  ${environmentName(key)}`, ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')
}
