import { Fenced, type StateStore } from '../../ports/state-store.ts'

/** What a disk would hold: it may be opened several times. */
export class MemoryVolume {
  readonly entries = new Map<string, Buffer>()
  holder: object | null = null
}

/** A group's volume without a disk, for tests. The same volume can be opened again. */
export function memoryStateStore(volume: MemoryVolume = new MemoryVolume()): StateStore {
  return new MemoryStateStore(volume)
}

class MemoryStateStore implements StateStore {
  private readonly volume: MemoryVolume

  constructor(volume: MemoryVolume) {
    this.volume = volume
    volume.holder = this
  }

  get(key: Buffer): Buffer | undefined {
    return this.volume.entries.get(key.toString('hex'))
  }

  *scan(prefix: Buffer, countMax: number): Iterable<{ key: Buffer; value: Buffer }> {
    const { entries } = this.volume
    const start = prefix.toString('hex')
    const keys = [...entries.keys()].filter((key) => key.startsWith(start)).sort()
    for (const key of keys.slice(0, countMax)) {
      const value = entries.get(key)
      if (value !== undefined) yield { key: Buffer.from(key, 'hex'), value }
    }
  }

  async commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void> {
    this.assertHeld()
    const { entries } = this.volume
    for (const [key, value] of writes) {
      if (value === null) entries.delete(key.toString('hex'))
      else entries.set(key.toString('hex'), Buffer.from(value))
    }
  }

  assertHeld(): void {
    if (this.volume.holder !== this) throw new Fenced('the volume was opened again')
  }

  async close(): Promise<void> {}
}
