import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join, resolve } from 'node:path'
import { StackFailure } from './stack-failure.ts'

/** A folder on a volume of its own that can be filled without harm to others. */
export interface SmallVolume {
  readonly folder: string
  freeBytes(): number
  /** Writes a ballast of all that is free but so much. */
  fill(leftBytes: number): void
  /** Takes the ballast away. */
  relieve(): void
  /** Gives back the volume, with all that is on it. */
  remove(): void
}

const canMount = () => platform() === 'linux' && process.getuid?.() === 0

/** Why none can be had here, or null. */
export const noSmallVolume = (): string | null =>
  canMount() ? null : 'a volume with a bound can be mounted only by root on Linux'

/** In memory, so it does not outlive the machine. @throws StackFailure */
export function smallVolume(path: string, sizeMiB: number): SmallVolume {
  const refusal = noSmallVolume()
  if (refusal !== null) throw new StackFailure(refusal)
  const folder = resolve(path)
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=0700`, 'tmpfs', folder])
  const ballast = join(folder, 'ballast')
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    folder,
    freeBytes,
    fill: (leftBytes) => writeFileSync(ballast, Buffer.alloc(Math.max(0, freeBytes() - leftBytes))),
    relieve: () => rmSync(ballast, { force: true }),
    remove: () => {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
