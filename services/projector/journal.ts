import type { Entity } from '../../libs/projections/state.ts'

/** A value before a message; undefined where there was none. */
export interface UndoRecord {
  readonly entity: Entity<unknown>
  readonly id: string
  readonly before: unknown
}

/** The same, as the volume holds it. */
export interface RawUndoRecord {
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
export function* rawUndo(bytes: Buffer): Iterable<RawUndoRecord> {
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
export function readUndo(
  bytes: Buffer,
  entities: ReadonlyMap<number, Entity<unknown>>,
): UndoRecord[] {
  return [...rawUndo(bytes)].map(({ tag, id, before }) => {
    const entity = entities.get(tag)
    if (entity === undefined) throw new Error(`an undo record of unknown entity ${tag}`)
    return { entity, id, before: before === null ? undefined : entity.decode(before) }
  })
}
