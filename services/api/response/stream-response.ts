import type { OnStream } from '../../../libs/ports/http.ts'
import type { Head } from '../../../libs/presenters/lookups.ts'
import { asIs, Response, type ResponseContext } from './responses.ts'

/** Server-sent events. nginx would keep them until it has a buffer full. */
const eventStream = asIs({
  status: 200,
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  },
  body: Buffer.alloc(0),
})

/** A response that goes on after its headers. */
export class StreamResponse extends Response {
  readonly stream: OnStream

  constructor(stream: OnStream, context: ResponseContext, head: Head | null) {
    super(eventStream, context, head)
    this.stream = stream
  }
}
