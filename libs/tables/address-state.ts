import { addressType, bool, hashType, nullable } from './columns.ts'
import { table } from './table.ts'

export const addressState = table({
  name: 'address_state',
  serves: 'whether an address is a contract, in every address object',
  group: 'state',
  source: 'blocks',
  key: { address: addressType },
  columns: {
    isContract: bool,
    /** The transaction that created it, if the log holds it. */
    creationTransaction: nullable(hashType),
    /** EIP-7702: whose code the account runs. */
    delegate: nullable(addressType),
  },
  granularity: 512,
})
