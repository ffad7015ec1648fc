import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { importSignatures } from '../operate/import/import-abis.ts'
import { importTokens } from '../operate/import/import-tokens.ts'
import type { ImportKind } from '../operate/import/imported.ts'
import { refuseFaults } from '../operate/import/publish-facts.ts'
import { readImport } from '../operate/import/read-import.ts'

/** Files beside the blocks of a folder. */
const files: Readonly<Record<string, ImportKind>> = {
  'tokens.csv': importTokens,
  'signatures.csv': importSignatures,
}

interface ImportNames {
  /** Absolute, of block files. */
  readonly folder: string
  readonly eventLog: EventLog
  /** Seconds since 1970, of the facts. */
  readonly time: number
}

/** Of one file: they are published in one append, which a kill leaves whole or out. */
const factsMax = 10_000

/**
 * Publishes the names of tokens and the signatures that a folder of blocks comes with, each file if
 * the log has nothing of its kind.
 * @returns the published facts by file
 * @throws StartupError that names the invalid lines, or the file with too many
 */
export async function importNames({
  folder,
  eventLog,
  time,
}: ImportNames): Promise<Map<string, number>> {
  const published = new Map<string, number>()
  for (const [name, kind] of Object.entries(files)) {
    const file = join(folder, name)
    const { topic } = kind
    if (!existsSync(file) || (await eventLog.end(topic)) > (await eventLog.begin(topic))) continue
    const { facts, faults } = await readImport(kind, [file], { time, chainId: null })
    refuseFaults(faults, 'remove the file')
    if (facts.length > factsMax) {
      throw new StartupError(
        `${file} has ${facts.length} facts, more than ${factsMax}: move it, and use \`foldscan import\`.`,
      )
    }
    await eventLog.append(
      topic,
      facts.map(({ key, message }) => ({ key, value: encodeMessage(message) })),
    )
    published.set(name, facts.length)
  }
  return published
}
