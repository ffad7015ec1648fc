import { address, text } from './columns.ts'
import { table } from './table.ts'

export const addressLabels = table({
  name: 'address_labels',
  serves: 'names, tags, proxies and verification in address objects',
  group: 'dimensions',
  source: 'address-facts',
  key: { address, kind: text },
  /** JSON of the fact, checked by its schema when it was folded. */
  columns: { fact: text },
  granularity: 512,
})
