import { CommanderError } from 'commander'
import { StartupError } from '../../libs/signals/startup-error.ts'
import { commands } from './commands.ts'
import { reportFailure } from './process/failure.ts'
import { processLog } from './process/process-log.ts'
import { program, withBooleanValues } from './program.ts'

const words = process.argv.slice(2)

try {
  await program({
    commands,
    environment: process.env,
    onExit: (code) => {
      process.exitCode = code
    },
  }).parseAsync(withBooleanValues(words), { from: 'user' })
} catch (error) {
  process.exitCode = error instanceof CommanderError ? complained(error) : failed(error)
}
// What still waits for something that was not stopped must not keep the process alive.
process.exit()

/** Help and version end the parser, too, and are printed already. */
function complained({ code, exitCode, message }: CommanderError): number {
  if (exitCode === 0 || code === 'commander.help') return exitCode
  const sentence = message.replace(/^error: |\.$/g, '').replace(/\s+/g, ' ')
  return failed(new StartupError(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`))
}

/** Wrong words of a service are the reason of an exit, too. */
function failed(error: unknown): number {
  const { name, kind } = commands.find((each) => each.name === words[0]) ?? {
    name: 'foldscan',
    kind: 'task' as const,
  }
  reportFailure(error, {
    kind,
    log: processLog({ command: name, kind, level: 'info' }).log,
    dataDir: null,
  })
  return 1
}
