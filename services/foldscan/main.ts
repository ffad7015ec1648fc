import { Argument, Command, CommanderError, Option } from 'commander'
import { environmentName, settingName } from '../../libs/settings/read-settings.ts'
import { settingsTakenBy } from '../../libs/settings/settings.ts'
import { commands, type Word } from './commands.ts'
import { sentenceOf } from './sentence.ts'

const program = new Command('foldscan')
  .description('The read side of a blockchain explorer: blocks in, answers out.')
  .exitOverride()
  .showSuggestionAfterError()

/** Which data folder a sentence speaks of, before the settings could be read. */
let dataDir = process.env[environmentName('dataDir')] || './.foldscan'

for (const { name, about, words, run } of commands) {
  const told = program.command(name).description(about)
  for (const word of words) told.addArgument(argumentOf(word))
  for (const [key, { row }] of settingsTakenBy(name)) {
    if (row.form === 'secret') continue
    const value = row.bounds === 'false, true' ? '[yes]' : `<${row.unit || 'word'}>`
    const why = `${row.why} (${environmentName(key)})`
    told.addOption(new Option(`--${settingName(key)} ${value}`, why))
  }
  told.action(async () => {
    const flags = Object.fromEntries(
      Object.entries(told.opts()).map(([key, value]) => [key, String(value)]),
    )
    dataDir = flags.dataDir ?? dataDir
    await run({ flags, environment: process.env }, told.args)
  })
}

try {
  await program.parseAsync()
} catch (error) {
  // Commander has said its own complaints already, with the nearest option.
  if (!(error instanceof CommanderError)) process.stderr.write(`${sentenceOf(error, dataDir)}\n`)
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
}
// Whatever still waits for something that was not stopped must not keep people waiting.
process.exit()

function argumentOf({ name, about, choices, isOptional }: Word): Argument {
  const argument = new Argument(isOptional ? `[${name}]` : `<${name}>`, about)
  return choices === null ? argument : argument.choices(choices)
}
