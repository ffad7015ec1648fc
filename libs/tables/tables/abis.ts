import { addressType, bytesType, textType, uint64 } from '../declare/columns.ts'
import { table } from '../declare/table.ts'

export const contractAbis = table({
  name: 'contract_abis',
  serves: 'method, decoded_input and decoded, by the ABI of the contract',
  group: 'dimensions',
  source: 'address-facts',
  /**
   * Four bytes of a function, 32 of an event. Empty: the row that every ABI has, which contains its
   * position; rows of the contract with a lower position belong to a replaced ABI.
   */
  key: { address: addressType, selector: bytesType },
  /** As people write it; empty where there is no selector. */
  columns: { signature: textType },
  granularity: 512,
})

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
