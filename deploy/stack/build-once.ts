import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

const building = new Map<string, Promise<void>>()

/**
 * Builds into a folder that is there only once it is complete. Callers of this process share one
 * build; other processes may build it meanwhile, each in a folder of its own. Rejects as `build`
 * does, and leaves nothing behind then.
 */
export function buildOnce(folder: string, build: (own: string) => Promise<unknown>): Promise<void> {
  if (existsSync(folder)) return Promise.resolve()
  const known = building.get(folder)
  if (known !== undefined) return known
  const built = buildInto(folder, build).finally(() => building.delete(folder))
  building.set(folder, built)
  return built
}

async function buildInto(folder: string, build: (own: string) => Promise<unknown>): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const own = mkdtempSync(`${folder}.`)
  try {
    await build(own)
    // Who is ready first has won, the rest is the same.
    renameSync(own, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
