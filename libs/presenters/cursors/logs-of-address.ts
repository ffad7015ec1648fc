import type { z } from 'zod'
import type { logsOfAddress } from '../endpoints.ts'
import type { LogRow } from '../log.ts'

type Asked = z.output<typeof logsOfAddress.parameters>

/** Clients build this one themselves, from an item in the middle of a page. */
export const placeOf = ({ block_number: blockNumber, index }: Asked) =>
  blockNumber === null || index === null ? null : { blockNumber, logIndex: index }

export const cursorAfter = (last: LogRow, { topic }: Asked, size: number) => ({
  ...(topic === null ? {} : { topic }),
  block_number: last.blockNumber,
  index: last.logIndex,
  items_count: size,
})
