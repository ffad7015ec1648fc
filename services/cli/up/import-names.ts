import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import { importSignatures } from '../operate/import/import-abis.ts'
import { importTokens } from '../operate/import/import-tokens.ts'
import type { ImportKind } from '../operate/import/imported.ts'
import { publishFacts, refuseFaults } from '../operate/import/publish-facts.ts'
import { readImport } from '../operate/import/read-import.ts'

/** Files beside the blocks of a folder. */
const files: Readonly<Record<string, ImportKind>> = {
  'tokens.csv': importTokens,
  'signatures.csv': importSignatures,
}

interface ImportNames {
  /** Absolute, of block files. */
  readonly folder: string
  readonly log: EventLog
  /** Seconds since 1970, of the facts. */
  readonly time: number
}

/**
 * Publishes the names of tokens and the signatures that a folder of blocks comes with, unless the
 * log has as many messages already: an interrupted import is repeated.
 * @returns the published facts by file
 * @throws StartupError that names the invalid lines
 */
export async function importNames(importing: ImportNames): Promise<Map<string, number>> {
  const { folder, log, time } = importing
  const published = new Map<string, number>()
  for (const [name, kind] of Object.entries(files)) {
    const file = join(folder, name)
    if (!existsSync(file)) continue
    const { topic } = kind
    const { facts, faults } = await readImport(kind, [file], { time, chainId: null })
    refuseFaults(faults, 'remove the file')
    const stored = (await log.end(topic)) - (await log.begin(topic))
    if (stored >= facts.length) continue
    published.set(name, await publishFacts(log, { topic, facts }))
  }
  return published
}
