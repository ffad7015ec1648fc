import type { z } from 'zod'
import type { logsOfAddress } from '../endpoints.ts'
import type { LogRow } from '../log.ts'
import { pageSizeOf } from '../parameters/forms.ts'

type QueryParameters = z.output<typeof logsOfAddress.parameters>

export const pageRequest = (parameters: QueryParameters) => ({
  topic: parameters.topic,
  after: placeOf(parameters),
  size: pageSizeOf(parameters),
})

/** Clients build this one themselves, from an item in the middle of a page. */
const placeOf = ({ block_number: blockNumber, index }: QueryParameters) =>
  blockNumber === null || index === null ? null : { blockNumber, logIndex: index }

export const cursorAfter = (last: LogRow, { topic, size }: ReturnType<typeof pageRequest>) => ({
  ...(topic === null ? {} : { topic }),
  block_number: last.blockNumber,
  index: last.logIndex,
  items_count: size,
})
