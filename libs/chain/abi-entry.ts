import { eventTopic, functionSelector } from './abi-words.ts'
import type { Hex } from './hex.ts'

/** A function or an event of a contract, as far as calls and logs are decoded by it. */
export interface AbiEntry {
  readonly kind: 'function' | 'event'
  readonly name: string
  readonly inputs: readonly AbiInput[]
}

export interface AbiInput {
  /** Empty if unknown. */
  readonly name: string
  /** With sizes written out: `uint256`, `bytes4[]`, `tuple[2]`. */
  readonly type: string
  /** Of an event: whether the parameter is a topic. */
  readonly isIndexed: boolean
  /** Of a tuple its parts, else empty. */
  readonly components: readonly AbiInput[]
}

/** Inputs of an entry, parts of tuples with them. */
export const abiInputsMax = 128
/** Tuples inside of tuples. */
export const abiDepthMax = 8
/** Of a name. */
const abiNameCharactersMax = 128
/** Maximum length of an array in a type. */
const abiArrayLengthMax = 1_024
/** Of an entry as {@link entryText} writes it. */
export const abiTextCharactersMax = 8_192

const nameForm = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const elementary =
  /^(?:address|bool|string|function|bytes(?:[1-9]|[12][0-9]|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256)?)$/
const arrays = /^(?:\[(?:[1-9][0-9]{0,3})?\]){0,4}$/

/** @returns the name, empty where it is none that a contract could have. */
export const inputName = (text: string): string =>
  text.length <= abiNameCharactersMax && nameForm.test(text) ? text : ''

export const isEntryName = (text: string): boolean => inputName(text) !== ''

/** A type with its size written out; null for what no call can carry, such as a mapping. */
export function abiType(text: string): string | null {
  const at = text.indexOf('[')
  const base = at === -1 ? text : text.slice(0, at)
  const suffix = at === -1 ? '' : text.slice(at)
  if (base !== 'tuple' && !elementary.test(base)) return null
  if (!arrays.test(suffix)) return null
  const lengths = [...suffix.matchAll(/\[(\d+)\]/g)].map(([, length]) => Number(length))
  if (lengths.some((length) => length > abiArrayLengthMax)) return null
  return `${base.replace(/^(u?int)$/, '$1256')}${suffix}`
}

/** Name and types, whose hash names the entry: `aggregate((address,bytes)[])`. */
export const signatureOf = ({ name, inputs }: AbiEntry): string =>
  `${name}(${inputs.map(canonicalType).join(',')})`

/** The same with what is indexed: two entries of one form differ in names of inputs only. */
export const entryForm = ({ name, inputs }: AbiEntry): string =>
  `${name}(${inputs.map((at) => `${canonicalType(at)}${at.isIndexed ? ' indexed' : ''}`).join(',')})`

/** Tuples by their parts. */
function canonicalType({ type, components }: AbiInput): string {
  if (!type.startsWith('tuple')) return type
  return `(${components.map(canonicalType).join(',')})${type.slice('tuple'.length)}`
}

/** Four bytes of a function, 32 of an event. */
export const entrySelector = (entry: AbiEntry): Hex =>
  entry.kind === 'function' ? functionSelector(signatureOf(entry)) : eventTopic(signatureOf(entry))

/** As people write it, and as {@link entryOf} reads it. */
export const entryText = ({ kind, name, inputs }: AbiEntry): string =>
  `${kind} ${name}(${inputs.map(inputText).join(', ')})`

function inputText(input: AbiInput): string {
  const { type, components, isIndexed, name } = input
  const shown = type.startsWith('tuple')
    ? `(${components.map(inputText).join(', ')})${type.slice('tuple'.length)}`
    : type
  return `${shown}${isIndexed ? ' indexed' : ''}${name === '' ? '' : ` ${name}`}`
}

/**
 * An entry as people write it: `transfer(address to, uint256 value)`, `event Sync(uint112)`.
 * What follows the inputs (`external returns (bool)`) is left out.
 * @param kind where the text does not begin with a word for it
 * @returns null for what is none, or more than an entry may have
 */
export function parseAbiEntry(text: string, kind: AbiEntry['kind'] = 'function'): AbiEntry | null {
  if (text.length > abiTextCharactersMax) return null
  const [, word, name = '', rest = ''] = headForm.exec(text) ?? []
  if (!isEntryName(name)) return null
  const reader = new InputsReader(rest)
  const inputs = reader.inputs(0)
  if (inputs === null || reader.count > abiInputsMax) return null
  return { kind: word === 'event' || word === 'function' ? word : kind, name, inputs }
}

/** A word for the kind, a name, and all from the first bracket on. */
const headForm = /^\s*(?:(event|function)\s+)?([A-Za-z_$][A-Za-z0-9_$]*)\s*(\([\s\S]*)$/

/** Keywords beside a type that do not change its encoding. */
const locations = new Set(['memory', 'calldata', 'storage', 'payable'])

/** Reads `(type name, (type, type)[] name)`; null wherever it is not of that form. */
class InputsReader {
  count = 0
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  /** At an opening bracket; leaves behind the closing one. */
  inputs(depth: number): readonly AbiInput[] | null {
    if (depth > abiDepthMax || !this.skip('(')) return null
    const inputs: AbiInput[] = []
    if (this.skip(')')) return inputs
    do {
      const input = this.input(depth)
      if (input === null || ++this.count > abiInputsMax) return null
      inputs.push(input)
    } while (this.skip(','))
    return this.skip(')') ? inputs : null
  }

  private input(depth: number): AbiInput | null {
    this.word(/^tuple\s*(?=\()/)
    const isTuple = this.text.startsWith('(', this.at)
    const components = isTuple ? this.inputs(depth + 1) : []
    if (components === null) return null
    const type = abiType(
      isTuple ? `tuple${this.word(/^(?:\[\d*\])*/)}` : this.word(/^[a-z0-9[\]]+/),
    )
    if (type === null || (type.startsWith('tuple') && !isTuple)) return null
    const words = this.word(/^[\sA-Za-z0-9_$]*/).split(/\s+/)
    const names = words.filter((word) => word !== '' && word !== 'indexed' && !locations.has(word))
    if (names.length > 1) return null
    const isIndexed = words.includes('indexed')
    return { name: inputName(names[0] ?? ''), type, isIndexed, components }
  }

  private skip(mark: string): boolean {
    this.word(/^\s*/)
    if (!this.text.startsWith(mark, this.at)) return false
    this.at += mark.length
    this.word(/^\s*/)
    return true
  }

  /** What comes next of this form. */
  private word(form: RegExp): string {
    const [word = ''] = form.exec(this.text.slice(this.at, this.at + wordCharactersMax)) ?? []
    this.at += word.length
    return word.trim()
  }
}

/** Longer words and blanks are none of ours. */
const wordCharactersMax = 512
