import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'

/** Builds into a folder that is there only once it is complete; others may build it meanwhile. */
export async function buildOnce(
  folder: string,
  build: (own: string) => Promise<unknown>,
): Promise<void> {
  if (existsSync(folder)) return
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
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
