import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertedBytes, type Store } from '../libs/ports/store.ts'

/** One insert as the store saw it; its rows lie in a file. */
interface Insert {
  readonly table: string
  readonly columns: readonly string[]
  readonly bytes: number
  readonly rows: string
}

/** The inserts of one group, in order, to be done again without folding. */
export class Recording {
  private readonly inserts: Insert[] = []
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  get bytes(): number {
    return this.inserts.reduce((sum, insert) => sum + insert.bytes, 0)
  }

  /** A store that passes calls on and records what was inserted. */
  over(store: Store): Store {
    return {
      ...store,
      insert: async (table, columns, rows) => {
        const file = join(this.folder, `${this.inserts.length}-${table}`)
        const bytes = insertedBytes(rows)
        this.inserts.push({ table, columns, bytes: bytes.length, rows: file })
        await appendFile(file, bytes)
        await store.insert(table, columns, rows)
      },
    }
  }

  async replay(store: Store): Promise<void> {
    for (const { table, columns, rows } of this.inserts) {
      await store.insert(table, columns, await readFile(rows))
    }
  }
}
