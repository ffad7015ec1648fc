import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ScratchStore } from '../../ports/state-store.ts'
import { MappedFile } from './mapped-file.ts'

const ending = '.scratch-'

/** As for the state: see lmdb-state-store.ts. */
const touchesPerMappingMax = 1_000
const putsPerTransactionMax = 1_000

/** A file beside the store whose content nobody needs after a restart: it is never synced. */
export class LmdbScratch implements ScratchStore {
  readonly #file: string
  readonly #mapped: MappedFile

  constructor(storeFile: string) {
    this.#file = `${storeFile}${ending}${randomUUID()}`
    const options = { compression: false, isDisposable: true, touchesPerMappingMax }
    this.#mapped = new MappedFile(this.#file, options)
  }

  get(key: Buffer): Buffer | undefined {
    this.#mapped.beforeRead()
    return this.#mapped.entries.getBinary(key)
  }

  async put(entries: Iterable<readonly [key: Buffer, value: Buffer]>): Promise<void> {
    // Ascending, so that a transaction touches few pages.
    const sorted = [...entries].sort(([one], [other]) => Buffer.compare(one, other))
    for (let at = 0; at < sorted.length; at += putsPerTransactionMax) {
      await this.#transaction(sorted.slice(at, at + putsPerTransactionMax))
    }
  }

  async #transaction(entries: readonly (readonly [key: Buffer, value: Buffer])[]): Promise<void> {
    this.#mapped.beginWrite()
    const { entries: database } = this.#mapped
    try {
      await database.transaction(() => {
        for (const [key, value] of entries) void database.put(key, value)
      })
    } finally {
      await this.#mapped.endWrite(entries.length)
    }
  }

  after(prefix: Buffer, key: Buffer | null, countMax: number) {
    this.#mapped.beginUse()
    try {
      const found: (readonly [key: Buffer, value: Buffer])[] = []
      for (const entry of this.#mapped.entries.getRange({ start: key ?? prefix })) {
        if (key?.equals(entry.key)) continue
        const isBelow = entry.key.subarray(0, prefix.length).equals(prefix)
        if (!isBelow || found.length === countMax) break
        // LMDB gives great values as views into its mapping.
        found.push([Buffer.from(entry.key), Buffer.from(entry.value)])
      }
      return found
    } finally {
      this.#mapped.endUse()
    }
  }

  async close(): Promise<void> {
    await this.#mapped.close()
    // In another thread: the file system takes tenths of a second to free a great file.
    for (const name of [this.#file, `${this.#file}-lock`]) await rm(name, { force: true })
  }
}

/** Of earlier processes. */
export function removeScratch(storeFile: string): void {
  const folder = dirname(storeFile)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(storeFile)}${ending}`)) rmSync(join(folder, name))
  }
}
