import { readSettings, type SettingInputs, settingName } from '../../libs/settings/read-settings.ts'
import type { CommandName } from '../../libs/settings/setting.ts'
import { type SettingsOf, settingsTakenBy } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import { reportFailure } from './process/failure.ts'
import { consoleToLog, isOnTerminal, type OutputKind, processLog } from './process/process-log.ts'

/** One command of `foldscan`: parser, `--help` and the table of commands are made from it. */
export interface Command {
  readonly name: CommandName
  readonly kind: OutputKind
  readonly about: string
  /** Positional arguments, in order. */
  readonly words: readonly Word[]
  /** Runs until it is over, and reports why it failed. @returns the exit code */
  readonly run: (inputs: SettingInputs, words: readonly string[]) => Promise<number>
}

export interface Word {
  readonly name: string
  readonly isOptional: boolean
  /** One or more of them; only the last word of a command may be. */
  readonly isRepeated: boolean
}

/** What a command gets beside its settings. */
interface CommandContext {
  readonly log: Log
  /** Positional arguments, as given. */
  readonly words: readonly string[]
  /** Where its settings come from: for commands that a message recommends. */
  readonly inputs: SettingInputs
}

/** @returns an exit code other than 0, if any. @throws what ended it */
export type Run<C extends CommandName> = (
  settings: SettingsOf<C>,
  context: CommandContext,
) => Promise<number | undefined>

interface CommandOptions<C extends CommandName> {
  readonly kind: OutputKind
  readonly about: string
  readonly words?: readonly Word[]
  /** Rejects with what makes a start useless, before anything is loaded or begins. */
  readonly check?: (settings: SettingsOf<C>) => Promise<void>
  /** First line on a terminal: what a command needs takes a second to load. */
  readonly greeting?: (settings: SettingsOf<C>) => string
}

/** @param load imports late: `--help` and a wrong setting need nothing of what a command needs */
export function command<C extends CommandName>(
  name: C,
  { kind, about, words = [], check, greeting }: CommandOptions<C>,
  load: () => Promise<Run<C>>,
): Command {
  return {
    name,
    kind,
    about,
    words,
    async run(inputs, given) {
      let { log, flush } = processLog({ command: name, kind, level: 'info' })
      let dataDir: string | null = null
      try {
        const settings = readSettings(name, inputs)
        const { logLevel, ...rest }: SettingsOf<CommandName> = settings
        const { group, dataDir: folder }: { group?: string; dataDir?: string } = rest
        ;({ log, flush } = processLog({ command: name, kind, group, level: logLevel }))
        dataDir = folder ?? null
        consoleToLog(log)
        await check?.(settings)
        if (greeting && isOnTerminal(kind)) process.stdout.write(`${greeting(settings)}\n`)
        const run = await load()
        return (await run(settings, { log, words: given, inputs })) ?? 0
      } catch (error) {
        await flush()
        reportFailure(error, { kind, log, dataDir })
        return 1
      }
    },
  }
}

/** `foldscan topics schema <topic>`, with the flags that have no default. */
export const commandUsage = ({ name, words }: Command): string =>
  ['foldscan', name, ...words.map(wordForm), ...requiredFlags(name)].join(' ')

const requiredFlags = (name: CommandName): string[] =>
  settingsTakenBy(name)
    .filter(([, { row }]) => row.requiredBy.includes(name))
    .map(([key, { row }]) => `--${settingName(key)} <${row.unit}>`)

/** As usage lines write it: `<topic>`, `[topic]`, `<files...>`. */
export function wordForm({ name, isOptional, isRepeated }: Word): string {
  const form = isRepeated ? `${name}...` : name
  return isOptional ? `[${form}]` : `<${form}>`
}
