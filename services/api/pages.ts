import type { Cache } from '../../libs/ports/cache.ts'
import { readModelVersion } from './read-model-version.ts'

interface Form {
  readonly cache: Cache
  /** Changes with everything that was announced: see `HeadOfGroups.name`. */
  readonly now: () => { readonly name: string; readonly position: number }
  readonly onRead?: (outcome: 'hit' | 'miss') => void
}

/** What is cached of an answer: its bytes and the headers that are its own. */
export interface Page {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Answers by question, kept for as long as nothing is announced. Equal questions that come while
 * one is being answered wait for its answer.
 */
export class Pages {
  private readonly form: Form
  private readonly asked = new Map<string, Promise<Page | null>>()

  constructor(form: Form) {
    this.form = form
  }

  /** @param answer null for what is not there: not kept. */
  async get(question: string, answer: () => Promise<Page | null>): Promise<Page | null> {
    // The name is taken before the tables are read: what is announced meanwhile makes it old.
    const { name, position } = this.form.now()
    const key = `${readModelVersion}|${name}|${question}`
    const pending = this.asked.get(key)
    if (pending !== undefined) return pending
    const asking = this.find(key, position, answer).finally(() => this.asked.delete(key))
    this.asked.set(key, asking)
    return asking
  }

  private async find(
    key: string,
    position: number,
    answer: () => Promise<Page | null>,
  ): Promise<Page | null> {
    const [entry] = await this.form.cache.get([key])
    this.form.onRead?.(entry === undefined ? 'miss' : 'hit')
    if (entry !== undefined) return unpacked(entry.bytes)
    const page = await answer()
    if (page !== null) await this.form.cache.set([[key, { bytes: packed(page), position }]])
    return page
  }
}

const headBytes = 4

/** One run of bytes: length of the headers' JSON, headers, body. */
function packed({ headers, body }: Page): Buffer {
  const head = Buffer.from(JSON.stringify(headers))
  const size = Buffer.alloc(headBytes)
  size.writeUInt32LE(head.length)
  return Buffer.concat([size, head, body])
}

function unpacked(bytes: Buffer): Page {
  const bodyAt = headBytes + bytes.readUInt32LE(0)
  const headers: Page['headers'] = JSON.parse(bytes.toString('utf8', headBytes, bodyAt))
  return { headers, body: bytes.subarray(bodyAt) }
}
