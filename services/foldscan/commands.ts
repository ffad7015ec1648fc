import type { CommandName } from '../../libs/settings/command.ts'
import { readSettings, type Told } from '../../libs/settings/read-settings.ts'
import type { SettingsOf } from '../../libs/settings/settings.ts'

export interface Command {
  readonly name: CommandName
  readonly about: string
  /** Runs until it is over. @throws what ended it, for one sentence */
  readonly run: (told: Told) => Promise<void>
}

/** Loaded late: a complaint about a setting, or --help, needs none of what a command needs. */
function command<C extends CommandName>(
  name: C,
  about: string,
  load: () => Promise<(settings: SettingsOf<C>) => Promise<void>>,
): Command {
  return {
    name,
    about,
    async run(told) {
      const settings = readSettings(name, told)
      const run = await load()
      await run(settings)
    },
  }
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
]
