import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import pLimit from 'p-limit'
import type { Metrics } from '../../../libs/signals/metrics.ts'

const compressed = promisify(gzip)
/** Most of the compression at a third of the time of the default level. */
const gzipLevel = 4
/** Of the four threads of libuv's pool, which files and LMDB need too. */
const threadsMax = 2
const waitingBytesMaxDefault = 32 * 1024 * 1024

interface Sent {
  readonly body: Buffer
}

interface CompressorOptions {
  readonly metrics: Pick<Metrics, 'uncompressedResponses'>
  /** Bound of bodies queued for compression; further bodies are sent uncompressed. */
  readonly waitingBytesMax?: number
}

/** Compresses each content once, however often it is sent. */
export class Compressor {
  private readonly options: CompressorOptions
  private readonly limit = pLimit(threadsMax)
  private readonly made = new WeakMap<Sent, Buffer | Promise<Buffer>>()
  private waitingBytes = 0

  constructor(options: CompressorOptions) {
    this.options = options
  }

  /** @returns the bytes at once if they are at hand; null if the queue is full */
  gzip(content: Sent): Buffer | Promise<Buffer> | null {
    const known = this.made.get(content)
    if (known !== undefined) return known
    const { metrics, waitingBytesMax = waitingBytesMaxDefault } = this.options
    if (this.waitingBytes + content.body.length > waitingBytesMax) {
      metrics.uncompressedResponses.inc()
      return null
    }
    const making = this.make(content.body)
    this.made.set(content, making)
    making.then(
      (bytes) => this.made.set(content, bytes),
      () => this.made.delete(content),
    )
    return making
  }

  private async make(body: Buffer): Promise<Buffer> {
    this.waitingBytes += body.length
    try {
      return await this.limit(() => compressed(body, { level: gzipLevel }))
    } finally {
      this.waitingBytes -= body.length
    }
  }
}
