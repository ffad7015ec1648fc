import type { ScratchStore, StateStore } from '../../../libs/ports/state-store.ts'
import type { Scratch, ScratchValue } from '../../../libs/projections/group.ts'

/** Edited values of a great message in a file beside the volume, which is made when needed. */
export class StateScratch implements Scratch {
  private readonly state: Pick<StateStore, 'scratch'>
  private opened: ScratchStore | null = null

  constructor(state: Pick<StateStore, 'scratch'>) {
    this.state = state
  }

  get(tag: number, id: string): Buffer | undefined {
    return this.opened?.get(keyOf(tag, id))
  }

  async put(values: readonly ScratchValue[]): Promise<void> {
    this.opened ??= this.state.scratch()
    await this.opened.put(values.map(({ tag, id, value }) => [keyOf(tag, id), value] as const))
  }

  after(tag: number, id: string | null, countMax: number): readonly ScratchValue[] {
    if (this.opened === null) return []
    const last = id === null ? null : keyOf(tag, id)
    return this.opened
      .after(Buffer.from([tag]), last, countMax)
      .map(([key, value]) => ({ tag, id: key.toString('hex', 1), value }))
  }

  async close(): Promise<void> {
    await this.opened?.close()
  }
}

const keyOf = (tag: number, id: string): Buffer =>
  Buffer.concat([Buffer.from([tag]), Buffer.from(id, 'hex')])
