/** Values of the metadata of one instance, lists and objects included; none is shown of more. */
export const instanceMetadataValuesMax = 256

const quote = '"'
const backslash = '\\'.charCodeAt(0)
const comma = ','.charCodeAt(0)

/**
 * Whether a JSON text has at most so many commas outside of its strings, before it is parsed:
 * hundreds of thousands of short members take half a second, one long text some milliseconds.
 */
export function hasFewValues(json: string, max = instanceMetadataValuesMax): boolean {
  let commas = 0
  let at = 0
  while (at < json.length) {
    const begin = json.indexOf(quote, at)
    const end = begin < 0 ? json.length : begin
    for (; at < end; at++) if (json.charCodeAt(at) === comma && ++commas > max) return false
    at = begin < 0 ? json.length : endOfString(json, begin + 1)
  }
  return true
}

function endOfString(json: string, from: number): number {
  let end = json.indexOf(quote, from)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf(quote, end + 1)
  return end < 0 ? json.length : end + 1
}

/** After an odd number of backslashes. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1
  while (json.charCodeAt(before) === backslash) before--
  return (at - before) % 2 === 0
}

/** Values in a document, itself included. */
export function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Object.values(value)) count += countValues(member)
  return count
}
