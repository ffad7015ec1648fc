import { existsSync, readFileSync } from 'node:fs'

/** Version of Foldscan: that of the nearest package.json above this file. */
export const version = versionAbove(new URL('.', import.meta.url))

function versionAbove(folder: URL): string {
  const file = new URL('package.json', folder)
  if (!existsSync(file)) return versionAbove(new URL('..', folder))
  const { version: found }: { version: string } = JSON.parse(readFileSync(file, 'utf8'))
  return found
}
