import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Web } from '../../../libs/ports/web.ts'

/** JSON of a source, or why there is none; `absent` where it says that there is none. */
export type SourceAnswer =
  | { readonly kind: 'json'; readonly json: unknown }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export const answerBytesMax = 4 * 1024 * 1024
const notFound = 404

/** Rejects only where the signal aborts. The reason names a host or a file, never a whole URL. */
export function askSource(url: string, web: Web, signal: AbortSignal): Promise<SourceAnswer> {
  return url.startsWith('file:') ? ofFile(url, signal) : ofWeb(url, web, signal)
}

async function ofWeb(url: string, web: Web, signal: AbortSignal): Promise<SourceAnswer> {
  const got = await web.fetch(url, signal)
  if (got.kind === 'busy') return failed('requests to it are still running')
  if (got.kind === 'fetched') return parsed(Buffer.from(got.bytes).toString('utf8'))
  const kind = got.status === notFound ? 'absent' : 'failed'
  return { kind, reason: got.sentence }
}

async function ofFile(url: string, signal: AbortSignal): Promise<SourceAnswer> {
  try {
    const path = fileURLToPath(url)
    const found = await stat(path)
    if (!found.isFile()) return failed(`${path} is no file`)
    if (found.size > answerBytesMax) return failed(`${path} has more than ${answerBytesMax} bytes`)
    return parsed(await readFile(path, { encoding: 'utf8', signal }))
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { kind: isAbsent ? 'absent' : 'failed', reason }
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
