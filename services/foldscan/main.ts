import { Command, CommanderError, Option } from 'commander'
import { environmentName, readSettings, settingName } from '../../libs/settings/read-settings.ts'
import { settingRows } from '../../libs/settings/setting.ts'
import { type Settings, settings } from '../../libs/settings/settings.ts'
import { sentenceOf } from './sentence.ts'

const program = new Command('foldscan')
  .description('The read side of a blockchain explorer: blocks in, answers out.')
  .exitOverride()
  .showSuggestionAfterError()

const up = program
  .command('up')
  .description('index a chain and answer, all in one process tree on this machine')
  .action(async (flags: Record<string, string | true>) => {
    const told = Object.entries(flags).map(([key, value]) => [key, String(value)])
    const read = settingsOf(Object.fromEntries(told))
    // Loaded late: a complaint about a setting, or --help, needs none of it.
    const { untilStopped } = await import('./until-stopped.ts')
    await untilStopped(read)
  })
for (const [key, schema] of Object.entries(settings.shape)) {
  const row = settingRows.get(schema)
  const value = row?.bounds === 'false, true' ? '[yes]' : `<${row?.unit || 'word'}>`
  up.addOption(
    new Option(`--${settingName(key)} ${value}`, `${row?.why} (${environmentName(key)})`),
  )
}

/** Which data folder a sentence speaks of, before the settings could be read. */
let dataDir = String(process.env[environmentName('dataDir')] ?? './.foldscan')

function settingsOf(flags: Record<string, string>): Settings {
  const read = readSettings(flags, process.env)
  dataDir = read.dataDir
  return read
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
