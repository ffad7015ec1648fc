import { addressType, textType } from './columns.ts'
import { table } from './table.ts'

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
