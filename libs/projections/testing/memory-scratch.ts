import type { Scratch, ScratchValue } from '../group.ts'

/** Edited values as bytes in a map. */
export class MemoryScratch implements Scratch {
  private readonly values = new Map<string, ScratchValue>()

  get(tag: number, id: string): Buffer | undefined {
    return this.values.get(`${tag}:${id}`)?.value
  }

  async put(values: readonly ScratchValue[]): Promise<void> {
    for (const one of values) this.values.set(`${one.tag}:${one.id}`, one)
  }

  after(tag: number, id: string | null, countMax: number): readonly ScratchValue[] {
    return [...this.values.values()]
      .filter((one) => one.tag === tag && (id === null || one.id > id))
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, countMax)
  }
}
