import {
  type AbiEntry,
  type AbiInput,
  abiDepthMax,
  abiInputsMax,
  abiTextCharactersMax,
  abiType,
  inputName,
  isEntryName,
} from './abi-entry.ts'

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

/** Words beside a type that say nothing of its form. */
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
