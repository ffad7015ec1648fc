import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { stateFileName } from '../../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { copyMsMax, newestCopy, restoreCopy } from '../../projector/copies.ts'
import type { ServiceContext } from './serve.ts'

type CopySettings = Pick<SettingsOf<'projector'>, 'group' | 'dataDir' | 'copies' | 'copyEveryHours'>

/** Between two looks at the age of the newest copy. */
const lookEveryMs = 60_000
/** After a copy, whether it failed or not. */
const retryMs = 3_600_000

const run = promisify(execFile)
const runbook = runbooks.volumeCopies

/** @throws StartupError where a disk was not mounted, or the name is wrong */
export function requireCopies(copies: string): void {
  if (statSync(copies, { throwIfNoEntry: false })?.isDirectory()) return
  throw new StartupError(`The folder ${copies} of --copies does not exist: mount it, or make it.`)
}

/**
 * Puts the newest copy in the place of a state store that is not there.
 * @param root folder of all copies
 * @param folder of copies of this volume
 * @throws StartupError if that fails: folding from the beginning may take days, so nobody begins it
 * for want of a readable disk
 */
export async function startFromCopy(
  { log }: Pick<ServiceContext, 'log'>,
  { root, folder, state }: Record<'root' | 'folder' | 'state', string>,
): Promise<void> {
  if (existsSync(join(state, stateFileName))) return
  requireCopies(root)
  try {
    const copy = await newestCopy(folder)
    if (copy === null) {
      const told = { event: events.volume.begun, runbook }
      log.warn(told, `the volume is empty, and there is no copy of it in ${folder}`)
      return
    }
    await restoreCopy(copy, state)
    const at = new Date(copy.at).toISOString()
    const told = { event: events.volume.restored, runbook }
    log.warn(told, `the volume was empty: it starts from its copy of ${at}, ${copy.path}`)
  } catch (error) {
    throw new StartupError(`The volume is empty, and ${messageOf(error)}. See ${runbook}.`)
  }
}

/**
 * Copies the volume whenever its newest copy is too old, in a child, which has the memory that the
 * copy takes. While the child runs, the volume grows by what is written to it.
 * @param folder of copies of this volume
 */
export function copyRegularly(
  { log, metrics, components }: Pick<ServiceContext, 'log' | 'metrics' | 'components'>,
  { settings, folder }: { readonly settings: CopySettings; readonly folder: string },
): void {
  const ending = new AbortController()
  const { signal } = ending
  const { group, copyEveryHours } = settings
  const everyMs = copyEveryHours * 3_600_000
  let retryAt = 0
  const told = (at: number) => metrics.volumeCopyTime.set({ group }, at / 1_000)
  const newest = async () => {
    try {
      const at = (await newestCopy(folder))?.at ?? 0
      told(at)
      return at
    } catch (error) {
      // A copy that cannot be read is none.
      told(0)
      throw error
    }
  }
  const look = async () => {
    // A clock that was ahead does not keep it from being copied.
    const age = Math.abs(Date.now() - (await newest()))
    if (age < everyMs || performance.now() < retryAt) return
    retryAt = performance.now() + retryMs
    const said = await copyInChild(settings, signal)
    await newest()
    log.info({ event: events.volume.copied }, said)
  }
  const looks = async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (signal.aborted) return
        log.warn({ event: events.volume.copyFailed, runbook }, messageOf(error))
      })
      await pause(lookEveryMs, signal)
    }
  }
  const looking = looks()
  components.add({
    name: 'copies of the volume',
    stop: () => {
      ending.abort()
      return looking
    },
  })
}

const failedForm = z.object({
  stderr: z.string(),
  killed: z.boolean().default(false),
  signal: z.string().nullable(),
  code: z.union([z.number(), z.string()]).nullable(),
})

/** @returns what the child says. @throws with what it complains about */
async function copyInChild(settings: CopySettings, signal: AbortSignal): Promise<string> {
  const { group, dataDir, copies } = settings
  const flags = { group, 'data-dir': dataDir, copies, 'log-level': 'warn' }
  const words = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)])
  const { argv, execArgv, execPath } = process
  const command = [...execArgv, String(argv[1]), 'state', 'copy', ...words]
  const options = { signal, timeout: copyMsMax, killSignal: 'SIGKILL' } as const
  try {
    const { stdout } = await run(execPath, command, options)
    return stdout.trim()
  } catch (error) {
    throw new Error(complaintOf(error), { cause: error })
  }
}

/** Of a child that failed: its own words, or how it ended. */
function complaintOf(error: unknown): string {
  const failed = failedForm.safeParse(error)
  if (!failed.success) return messageOf(error)
  const { stderr, killed, signal, code } = failed.data
  if (stderr.trim() !== '') return stderr.trim()
  if (killed) return `The volume was not copied: it took more than ${copyMsMax / 1_000} s.`
  return `The volume was not copied: its process ended with ${signal ?? code}.`
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
