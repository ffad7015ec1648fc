import { bytesType, textType, uint64 } from './columns.ts'
import { table } from './table.ts'

export const signatures = table({
  name: 'signatures',
  serves: 'method, decoded_input and decoded, where the contract has no ABI',
  group: 'dimensions',
  source: 'signature-facts',
  /**
   * Four bytes of a function, 32 of an event; since when it is known, in seconds, as the oldest is
   * tried first; the form is the signature without names.
   */
  key: { selector: bytesType, since: uint64, form: textType },
  /** As people write it. */
  columns: { signature: textType },
  granularity: 512,
})
