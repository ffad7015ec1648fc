import type { StateStore } from '../../ports/state-store.ts'

/** A group's volume without a disk, for tests. */
export function memoryStateStore(): StateStore {
  return new MemoryStateStore()
}

class MemoryStateStore implements StateStore {
  private readonly entries = new Map<string, Buffer>()

  get(key: Buffer): Buffer | undefined {
    return this.entries.get(key.toString('hex'))
  }

  *scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }> {
    const start = prefix.toString('hex')
    const keys = [...this.entries.keys()].filter((key) => key.startsWith(start)).sort()
    for (const key of keys.slice(0, countMax)) {
      const value = this.entries.get(key)
      if (value !== undefined) yield { key: Buffer.from(key, 'hex'), value }
    }
  }

  async commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void> {
    for (const [key, value] of writes) {
      if (value === null) this.entries.delete(key.toString('hex'))
      else this.entries.set(key.toString('hex'), Buffer.from(value))
    }
  }

  async close(): Promise<void> {}
}
