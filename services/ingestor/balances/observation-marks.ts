import { z } from 'zod'
import { integerNumber } from '../../../libs/topics/quantities.ts'

const savedForm = z.object({
  /** The newest blocks and the sequence that applied each, ascending. */
  applied: z.array(z.tuple([integerNumber, integerNumber])),
  /** Ranges of sequences whose observations a fork has taken back. */
  voided: z.array(z.tuple([integerNumber, integerNumber])),
  /** Of the last declared gap; 0 if there is none. */
  gapAt: integerNumber,
  /** Its last block; 0 if there is none. */
  gapEnd: integerNumber,
})
type SavedMarks = z.output<typeof savedForm>

/** Where there are more, the oldest two are joined: what lies between them is asked for again. */
const voidedMax = 64

const nothing: SavedMarks = { applied: [], voided: [], gapAt: 0, gapEnd: 0 }

/** Which observations still count, by their sequence in the log. All of it follows from the log. */
export class ObservationMarks {
  readonly #depthMax: number
  #saved: SavedMarks = nothing

  /** @param depthMax blocks that a fork can revert */
  constructor(depthMax: number) {
    this.#depthMax = depthMax
  }

  get gapAt(): number {
    return this.#saved.gapAt
  }

  get gapEnd(): number {
    return this.#saved.gapEnd
  }

  load(bytes: Buffer): void {
    this.#saved = savedForm.parse(JSON.parse(bytes.toString()))
  }

  bytes(): Buffer {
    return Buffer.from(JSON.stringify(this.#saved))
  }

  clear(): void {
    this.#saved = nothing
  }

  noteApplied(block: number, sequence: number): void {
    const applied = this.#saved.applied.slice(-this.#depthMax)
    applied.push([block, sequence])
    this.#saved = { ...this.#saved, applied }
  }

  /** @returns the sequence that applied the block: later observations are taken back with it */
  noteReverted(block: number): number {
    const kept = this.#saved.applied.filter(([number]) => number < block)
    const [, first = 0] = this.#saved.applied.find(([number]) => number === block) ?? []
    this.#saved = { ...this.#saved, applied: kept }
    return first
  }

  noteVoid(from: number, to: number): void {
    const voided: [number, number][] = [...this.#saved.voided, [from, to]]
    const [one, other] = voided
    if (voided.length > voidedMax && one !== undefined && other !== undefined) {
      voided.splice(0, 2, [Math.min(one[0], other[0]), Math.max(one[1], other[1])])
    }
    this.#saved = { ...this.#saved, voided }
  }

  noteGap(sequence: number, end: number): void {
    this.#saved = { ...this.#saved, gapAt: sequence, gapEnd: end }
  }

  /** Whether an observation of that sequence (0: none) tells what is there after `since`. */
  counts(observedAt: number, since: number): boolean {
    if (observedAt <= Math.max(since, this.#saved.gapAt)) return false
    return !this.#saved.voided.some(([from, to]) => from <= observedAt && observedAt <= to)
  }
}
