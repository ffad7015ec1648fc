import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isUrl } from '../../libs/chain/parsed-url.ts'

const fileIn = (folder: string): string => join(folder, 'node-url')

/**
 * Writes where the node of a demo chain listens, on another port at each start.
 * @returns what removes it again
 */
export function publishDemoUrl(folder: string, url: string): () => Promise<void> {
  writeFileSync(fileIn(folder), url)
  return async () => rmSync(fileIn(folder), { force: true })
}

/** Null if no demo chain runs in that folder, or it was not ended in order and is none any more. */
export function demoUrl(folder: string): string | null {
  try {
    const url = readFileSync(fileIn(folder), 'utf8').trim()
    return isUrl(url) ? url : null
  } catch {
    return null
  }
}
