import { z } from 'zod'
import { logsBody } from '../../../libs/presenters/list-bodies.ts'
import { type LogRow, logObject } from '../../../libs/presenters/objects/log.ts'
import * as forms from '../../../libs/presenters/parameters.ts'
import { logsOfAddress } from '../../../libs/queries/logs-of-address/logs-of-address.ts'
import { References } from '../rows/references.ts'
import { pageBytesMax } from './pipeline/list-body.ts'
import { ofAddress } from './pipeline/route.ts'

const parameters = z.object({
  topic: forms.hashParameter.describe('Only logs with this topic, at any of its four places.'),
  block_number: forms.blockNumber.describe('Cursor, with index.'),
  index: forms.index.describe('Cursor, with block_number: index of the last log.'),
  items_count: forms.itemsCount,
})
type QueryParameters = z.output<typeof parameters>

const pageRequest = (parameters: QueryParameters) => ({
  topic: parameters.topic,
  after: placeOf(parameters),
  size: forms.pageSizeOf(parameters),
})

/** Clients build this one themselves, from an item in the middle of a page. */
const placeOf = ({ block_number: blockNumber, index }: QueryParameters) =>
  blockNumber === null || index === null ? null : { blockNumber, logIndex: index }

const cursorAfter = (last: LogRow, { topic, size }: ReturnType<typeof pageRequest>) => ({
  ...(topic === null ? {} : { topic }),
  block_number: last.blockNumber,
  index: last.logIndex,
  items_count: size,
})

export const logsOfAddressRoute = ofAddress.list({
  path: '/api/v2/addresses/{address_hash}/logs',
  mayBeUnknown: false,
  operationId: 'logsOfAddress',
  example: { what: 'logs of a contract', of: 'emitters' },
  summary: 'Event logs that an address emitted, newest first',
  description: 'Logs are decoded where a signature is known that fits.',
  body: logsBody,
  parameters,
  pageRequest,
  async list({ subject: address, requested: { topic, after, size } }, { read }) {
    const list = { address, topic, after, limit: size + 1, bytesMax: pageBytesMax }
    return { rows: await read(logsOfAddress, list) }
  },
  costOf:
    () =>
    ({ data }) =>
      data.length,
  hydrate: (rows) => new References().logs(rows),
  present: {
    item: (row, { lookups }) => logObject(row, lookups),
    cursorAfter: ({ last }, { requested }) => cursorAfter(last, requested),
  },
})
