import { type Body, bodyName, type PackedColumn } from './body.ts'

/** A column of a body in SQL: both directions, for the view and for rows that the engine makes. */

const nullableForm = /^Nullable\((.*)\)$/

/** Type of the value, without Nullable. */
const valueType = (ddl: string) => nullableForm.exec(ddl)?.[1] ?? ddl
const isNullable = (ddl: string) => nullableForm.test(ddl)

/** The first one is 1. */
const firstByte = 1
const lengthBytes = 4

/**
 * Columns of a body as expressions, in its order, and the WITH that they need: where a text begins
 * depends on the lengths of those before it.
 */
export function unpackedInSql({ columns }: Body) {
  const selected: string[] = []
  const places: string[] = []
  let at = String(firstByte)
  for (const column of columns) {
    selected.push(`${valueInSql(column, at)} AS \`${column.name}\``)
    if (column.form.bytes !== null) {
      at = plus(at, column.form.bytes)
      continue
    }
    const flag = isNullable(column.ddl) ? 1 : 0
    const place = `${column.name}End`
    const length = numberAt(plus(at, flag))
    places.push(`${plus(at, flag + lengthBytes)} + ${length} AS ${place}`)
    at = place
  }
  return { selected, places }
}

/** A number, or the name of one. */
const plus = (at: string, bytes: number): string => {
  if (bytes === 0) return at
  return /^\d+$/.test(at) ? String(Number(at) + bytes) : `${at} + ${bytes}`
}

/** UInt32 at a byte of the body. */
const numberAt = (at: string) =>
  `reinterpretAsUInt32(substring(${bodyName}, ${at}, ${lengthBytes}))`

function valueInSql({ ddl, form }: PackedColumn, at: string): string {
  if (!isNullable(ddl)) return presentInSql(ddl, form.bytes, at)
  const bytes = form.bytes === null ? null : form.bytes - 1
  const isNull = `ascii(substring(${bodyName}, ${at}, 1)) = 1`
  return `if(${isNull}, NULL, ${presentInSql(valueType(ddl), bytes, plus(at, 1))})`
}

function presentInSql(type: string, bytes: number | null, at: string): string {
  if (bytes === null) return lengthenedInSql(type, at)
  const raw = `substring(${bodyName}, ${at}, ${bytes})`
  if (type.startsWith('FixedString')) return `toFixedString(${raw}, ${bytes})`
  if (type === 'Bool') return `CAST(reinterpretAsUInt8(${raw}) AS Bool)`
  return `reinterpretAs${type}(${raw})`
}

/** A text or a list, behind its length. */
function lengthenedInSql(type: string, at: string): string {
  const begin = plus(at, lengthBytes)
  const itemBytes = itemBytesOf(type)
  if (itemBytes === null) return `substring(${bodyName}, ${begin}, ${numberAt(at)})`
  const item = `substring(${bodyName}, ${begin} + item * ${itemBytes}, ${itemBytes})`
  const count = `intDiv(${numberAt(at)}, ${itemBytes})`
  return `arrayMap(item -> toFixedString(${item}, ${itemBytes}), range(${count}))`
}

/** Of a list of bytes; null for all other types. */
function itemBytesOf(type: string): number | null {
  const [, bytes] = /^Array\(FixedString\((\d+)\)\)$/.exec(type) ?? []
  return bytes === undefined ? null : Number(bytes)
}

/** A body of columns by these names; one that is not given has the default of its type. */
export function bodyInSql({ columns }: Body, given: ReadonlySet<string>): string {
  const parts = columns.map(({ name, ddl, form }) => {
    const value = `CAST(${given.has(name) ? `\`${name}\`` : defaultOf(ddl)} AS ${ddl})`
    return packedInSql(value, ddl, form.bytes)
  })
  return `concat(${parts.join(', ')})`
}

const defaultOf = (ddl: string) =>
  isNullable(ddl) ? 'NULL' : `defaultValueOfTypeName('${ddl.replaceAll("'", "\\'")}')`

function packedInSql(value: string, ddl: string, bytes: number | null): string {
  const itemBytes = itemBytesOf(ddl)
  if (itemBytes !== null) return listBytes(value, itemBytes)
  if (!isNullable(ddl)) return presentBytes(value, bytes)
  const empty = `repeat(char(0), ${bytes === null ? lengthBytes : bytes - 1})`
  const present = presentBytes(`assumeNotNull(${value})`, bytes === null ? null : bytes - 1)
  return `if(${value} IS NULL, concat(char(1), ${empty}), concat(char(0), ${present}))`
}

/** In `concat`, which keeps all bytes of a FixedString; a cast to String drops zeros at its end. */
const presentBytes = (value: string, bytes: number | null) =>
  bytes === null
    ? `concat(reinterpretAsFixedString(toUInt32(length(${value}))), ${value})`
    : `reinterpretAsFixedString(${value})`

function listBytes(value: string, itemBytes: number): string {
  const items = `arrayStringConcat(arrayMap(item -> concat(item, ''), ${value}))`
  return `concat(reinterpretAsFixedString(toUInt32(length(${value}) * ${itemBytes})), ${items})`
}
