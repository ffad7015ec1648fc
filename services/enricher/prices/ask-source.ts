import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Web } from '../../../libs/ports/web.ts'

/** JSON of a source, or why there is none; `absent` where it says that it has no such price. */
export type SourceAnswer =
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: string }

export const answerBytesMax = 4 * 1024 * 1024
const notFound = 404

/** Rejects only where the signal aborts. The reason names a host or a file, never a whole URL. */
export function askSource(url: string, web: Web, signal: AbortSignal): Promise<SourceAnswer> {
  return url.startsWith('file:') ? ofFile(url) : ofWeb(url, web, signal)
}

async function ofWeb(url: string, web: Web, signal: AbortSignal): Promise<SourceAnswer> {
  const got = await web.fetch(url, signal)
  if (got.kind === 'busy') return failed('requests to it are still running')
  if (got.kind === 'fetched') return parsed(Buffer.from(got.bytes).toString('utf8'))
  return got.status === notFound ? { kind: 'absent' } : failed(got.sentence)
}

async function ofFile(url: string): Promise<SourceAnswer> {
  try {
    const path = fileURLToPath(url)
    const { size } = await stat(path)
    if (size > answerBytesMax) return failed(`${path} has more than ${answerBytesMax} bytes`)
    return parsed(await readFile(path, 'utf8'))
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

function parsed(text: string): SourceAnswer {
  try {
    return { kind: 'json', json: JSON.parse(text) }
  } catch {
    return failed('the answer is not JSON')
  }
}

const failed = (reason: string): SourceAnswer => ({ kind: 'failed', reason })
