import { addressType, bool, hashType, nullable, textType } from '../declare/columns.ts'
import { table } from '../declare/table.ts'

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

export const addressLabels = table({
  name: 'address_labels',
  serves: 'names, tags, proxies and verification in address objects',
  group: 'dimensions',
  source: 'address-facts',
  key: { address: addressType, kind: textType },
  /** JSON of the fact, checked by its schema when it was folded. */
  columns: { fact: textType },
  granularity: 512,
  isCached: true,
})
