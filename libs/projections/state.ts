/**
 * A kind of thing that the state group remembers, with its stored form. Values are flat and
 * never changed in place. Methods, so that an entity of any value is an `Entity<unknown>`.
 */
export interface Entity<V> {
  readonly name: string
  /** First byte of its keys; unique among entities. */
  readonly tag: number
  encode(value: V): Buffer
  decode(bytes: Buffer): V
}

/**
 * The state before a message. Ids are lower-case hex without 0x. Values are found by their ids
 * alone: whatever walked over many of them would make the work of a message grow with the state.
 */
export interface StateReader {
  get<V>(entity: Entity<V>, id: string): V | undefined
}

/** One thing before and after a message; undefined where it did not, or does not, exist. */
export interface EntityChange<V = unknown> {
  readonly entity: Entity<V>
  readonly id: string
  readonly before: V | undefined
  readonly after: V | undefined
}
