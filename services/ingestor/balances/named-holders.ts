import type { StateStore } from '../../../libs/ports/state-store.ts'
import { sequenceIn, sequenceValue } from './sequence-value.ts'

const offsetKey = Buffer.from('named-holders')

/** Where topic `holders` is to be read next: what comes before it is among the seen pairs. */
export class NamedHolders {
  readonly #state: StateStore
  #offset = 0
  #isUnsaved = false

  constructor(state: StateStore) {
    this.#state = state
  }

  load(): void {
    const saved = this.#state.get(offsetKey)
    this.#offset = saved === undefined ? 0 : sequenceIn(saved)
  }

  get offset(): number {
    return this.#offset
  }

  note(offset: number): void {
    this.#offset = offset
    this.#isUnsaved = true
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    if (this.#isUnsaved) yield [offsetKey, sequenceValue(this.#offset)]
  }

  saved(): void {
    this.#isUnsaved = false
  }

  /** It is read again. */
  async forget(): Promise<void> {
    this.note(0)
  }
}
