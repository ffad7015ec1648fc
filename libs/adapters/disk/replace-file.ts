import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'

/**
 * Writes a whole file, in place of an older one if there is one: who is killed meanwhile leaves the
 * older one, or none, never a part. One process at a time writes a file.
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`
  const descriptor = openSync(draft, 'w')
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}
