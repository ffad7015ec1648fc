import type { CommandName } from '../../libs/settings/command.ts'
import { readSettings, type Told } from '../../libs/settings/read-settings.ts'
import type { SettingsOf } from '../../libs/settings/settings.ts'

export interface Command {
  readonly name: CommandName
  readonly about: string
  /** What may stand after its name, in order. */
  readonly words: readonly Word[]
  /** Runs until it is over. @throws what ended it, for one sentence */
  readonly run: (told: Told, words: readonly string[]) => Promise<void>
}

/** A word after a command's name: one of the choices, or any. */
export interface Word {
  readonly name: string
  readonly about: string
  readonly choices: readonly string[] | null
  readonly isOptional: boolean
}

/** Loaded late: a complaint about a setting, or --help, needs none of what a command needs. */
function command<C extends CommandName>(
  name: C,
  said: string | Pick<Command, 'about' | 'words'>,
  load: () => Promise<(settings: SettingsOf<C>, words: readonly string[]) => Promise<void>>,
): Command {
  return {
    name,
    ...(typeof said === 'string' ? { about: said, words: [] } : said),
    async run(told, words) {
      const settings = readSettings(name, told)
      const run = await load()
      await run(settings, words)
    },
  }
}

const oneOf = (...choices: readonly string[]): Word => ({
  name: 'what',
  about: '',
  choices,
  isOptional: false,
})
const topicOfSchema: Word = {
  name: 'topic',
  about: 'whose JSON Schema is printed, after schema',
  choices: null,
  isOptional: true,
}

/** All that `foldscan` can be told to do. */
export const commands: readonly Command[] = [
  command('up', 'index a chain and answer, all in one process tree on this machine', async () => {
    const { untilStopped } = await import('./until-stopped.ts')
    return untilStopped
  }),
  command(
    'migrate',
    'make the tables on a ClickHouse server, or bring them up to date',
    async () => {
      const { migrateServer } = await import('./serve/migrate.ts')
      return migrateServer
    },
  ),
  command('ingestor', 'publish blocks from a node on Kafka', async () => {
    const { serveIngestor } = await import('./serve/ingestor.ts')
    return serveIngestor
  }),
  command('projector', 'fold messages of Kafka into the tables of one group', async () => {
    const { serveProjector } = await import('./serve/projector.ts')
    return serveProjector
  }),
  command('enricher', 'publish facts from off the chain on Kafka', async () => {
    const { serveEnricher } = await import('./serve/enricher.ts')
    return serveEnricher
  }),
  command('api', 'answer from the tables', async () => {
    const { serveApi } = await import('./serve/api.ts')
    return serveApi
  }),
  command(
    'topics',
    {
      about: 'create the topics on Kafka, check or describe them, or print the schema of one',
      words: [oneOf('create', 'check', 'describe', 'schema'), topicOfSchema],
    },
    async () => {
      const { operateTopics } = await import('./operate/topics.ts')
      return operateTopics
    },
  ),
  command('lag', 'say how far each group is behind what is published', async () => {
    const { operateLag } = await import('./operate/lag.ts')
    return operateLag
  }),
  command('repair', 'publish from a node what the log lacks, and end', async () => {
    const { operateRepair } = await import('./operate/repair.ts')
    return operateRepair
  }),
  command(
    'dead-letters',
    {
      about: 'list the facts that could not be folded, or publish them again',
      words: [oneOf('list', 'replay')],
    },
    async () => {
      const { operateDeadLetters } = await import('./operate/dead-letters.ts')
      return operateDeadLetters
    },
  ),
]
