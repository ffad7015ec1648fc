import { addressType, textType, uint256 } from './columns.ts'
import { table } from './table.ts'

export const instanceMetadata = table({
  name: 'instance_metadata',
  serves: 'metadata and media of token instances',
  group: 'dimensions',
  source: 'instance-facts',
  key: { token: addressType, tokenId: uint256 },
  /** JSON of the fact, checked by its schema when it was folded. */
  columns: { fact: textType },
  granularity: 512,
  subject: 'key',
})
