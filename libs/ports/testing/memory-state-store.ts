import { Fenced, type ScratchStore, type StateStore } from '../state-store.ts'

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
  private readonly staged: (readonly [key: Buffer, value: Buffer | null])[] = []

  constructor(volume: MemoryVolume) {
    this.volume = volume
    volume.holder = this
  }

  get(key: Buffer): Buffer | undefined {
    return this.volume.entries.get(key.toString('hex'))
  }

  *scan(prefix: Buffer, countMax: number, from = prefix): Iterable<{ key: Buffer; value: Buffer }> {
    const { entries } = this.volume
    const [start, first] = [prefix.toString('hex'), from.toString('hex')]
    const keys = [...entries.keys()].filter((key) => key.startsWith(start) && key >= first).sort()
    for (const key of keys.slice(0, countMax)) {
      const value = entries.get(key)
      if (value !== undefined) yield { key: Buffer.from(key, 'hex'), value }
    }
  }

  async stage(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void> {
    this.staged.push(...writes)
  }

  async discardStaged(): Promise<void> {
    this.staged.length = 0
  }

  scratch(): ScratchStore {
    return new MemoryScratchStore()
  }

  async commit(writes: Iterable<readonly [key: Buffer, value: Buffer | null]>): Promise<void> {
    this.assertHeld()
    const { entries } = this.volume
    for (const [key, value] of [...this.staged.splice(0), ...writes]) {
      if (value === null) entries.delete(key.toString('hex'))
      else entries.set(key.toString('hex'), Buffer.from(value))
    }
  }

  assertHeld(): void {
    if (this.volume.holder !== this) throw new Fenced('the volume was opened again')
  }

  async close(): Promise<void> {}
}

class MemoryScratchStore implements ScratchStore {
  private readonly entries = new Map<string, Buffer>()

  get(key: Buffer): Buffer | undefined {
    return this.entries.get(key.toString('hex'))
  }

  async put(entries: Iterable<readonly [key: Buffer, value: Buffer]>): Promise<void> {
    for (const [key, value] of entries) this.entries.set(key.toString('hex'), value)
  }

  after(prefix: Buffer, key: Buffer | null, countMax: number) {
    const [start, last] = [prefix.toString('hex'), key?.toString('hex') ?? '']
    return [...this.entries]
      .filter(([name]) => name.startsWith(start) && name > last)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, countMax)
      .map(([name, value]) => [Buffer.from(name, 'hex'), value] as const)
  }

  async close(): Promise<void> {
    this.entries.clear()
  }
}
