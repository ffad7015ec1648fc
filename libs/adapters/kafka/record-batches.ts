import type { LogMessage } from '../../ports/event-log.ts'

/** Of a record beside its key and value: lengths, time, offset; and of a batch, generously. */
const recordOverheadBytes = 64

/** Lengths of a header's name and value. */
const headerOverheadBytes = 10

const sizeOf = ({ key, value, headers = {} }: LogMessage): number =>
  recordOverheadBytes + Buffer.byteLength(key) + value.length + sizeOfHeaders(headers)

function sizeOfHeaders(headers: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const [name, value] of Object.entries(headers)) {
    bytes += headerOverheadBytes + Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  return bytes
}

/** Bytes of a batch before compression, generously. */
export const bytesOf = (batch: readonly LogMessage[]): number =>
  batch.reduce((sum, message) => sum + sizeOf(message), recordOverheadBytes)

/**
 * Messages in order, in batches that the brokers take whole: kafkajs makes one record batch of
 * each send, and a batch above a topic's `max.message.bytes` is refused.
 */
export function recordBatches(
  messages: readonly LogMessage[],
  batchBytesMax: number,
): readonly (readonly LogMessage[])[] {
  const batches: LogMessage[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const message of messages) {
    const size = sizeOf(message)
    if (bytes + size > batchBytesMax) {
      batches.push([])
      bytes = recordOverheadBytes
    }
    batches.at(-1)?.push(message)
    bytes += size
  }
  return batches
}
