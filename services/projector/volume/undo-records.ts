import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Entity } from '../../../libs/projections/group.ts'
import { journalPartKey, journalPartsKey } from './state-keys.ts'

/** A value before a message; undefined where there was none. */
export interface UndoRecord {
  readonly entity: Entity<unknown>
  readonly id: string
  readonly before: unknown
}

/** The same, as the volume holds it. */
interface RawUndoRecord {
  readonly tag: number
  readonly id: string
  readonly before: Buffer | null
}

/** Written as the length of a value that was not there. */
const absent = 0xffff_ffff

/** Each record: tag (1 byte), length of the id (1), id, length of the value (4), value. */
export function writeUndo(records: readonly UndoRecord[]): Buffer {
  const parts: Buffer[] = []
  for (const { entity, id, before } of records) {
    const value = before === undefined ? null : entity.encode(before)
    const idBytes = Buffer.from(id, 'hex')
    const head = Buffer.allocUnsafe(6 + idBytes.length)
    head.writeUInt8(entity.tag, 0)
    head.writeUInt8(idBytes.length, 1)
    idBytes.copy(head, 2)
    head.writeUInt32BE(value === null ? absent : value.length, 2 + idBytes.length)
    parts.push(head)
    if (value !== null) parts.push(value)
  }
  return Buffer.concat(parts)
}

/** @throws RangeError if the bytes end too early. */
function* rawUndo(bytes: Buffer): Iterable<RawUndoRecord> {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at)
    const idAt = at + 2
    const lengthAt = idAt + bytes.readUInt8(at + 1)
    const length = bytes.readUInt32BE(lengthAt)
    const id = bytes.toString('hex', idAt, lengthAt)
    const valueAt = lengthAt + 4
    at = valueAt + (length === absent ? 0 : length)
    if (at > bytes.length) throw new RangeError('an undo record ends too early')
    yield { tag, id, before: length === absent ? null : bytes.subarray(valueAt, at) }
  }
}

/** @throws if a record is of an entity that the group does not have. */
export function decodedUndo(
  { tag, id, before }: RawUndoRecord,
  entities: ReadonlyMap<number, Entity<unknown>>,
): UndoRecord {
  const entity = entities.get(tag)
  if (entity === undefined) throw new Error(`an undo record of unknown entity ${tag}`)
  return { entity, id, before: before === null ? undefined : entity.decode(before) }
}

/** Parts of the undo record of a message: more than one only of a great message. */
export function undoPartsOf(state: Pick<StateStore, 'get'>, sequence: number): number {
  return state.get(journalPartsKey(sequence))?.readUInt32BE() ?? 1
}

export function writeUndoParts(sequence: number, parts: number): readonly [Buffer, Buffer] {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(parts)
  return [journalPartsKey(sequence), value]
}

/** Keys of the volume that hold the undo record of a message. */
export function* undoKeys(sequence: number, parts: number): Generator<Buffer> {
  for (let part = 0; part < parts; part++) yield journalPartKey(sequence, part)
  if (parts !== 1) yield journalPartsKey(sequence)
}

/** The stored undo record of a message, part by part. @throws RangeError if one is missing */
export function* storedUndo(
  state: Pick<StateStore, 'get'>,
  sequence: number,
): Generator<RawUndoRecord> {
  const parts = undoPartsOf(state, sequence)
  for (let part = 0; part < parts; part++) {
    const bytes = state.get(journalPartKey(sequence, part))
    if (bytes === undefined)
      throw new RangeError(`part ${part} of undo record ${sequence} is missing`)
    yield* rawUndo(bytes)
  }
}
