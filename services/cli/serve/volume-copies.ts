import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stateFileName } from '../../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { newestCopy, restoreCopy } from '../../projector/volume/copies.ts'
import type { ServiceContext } from './serve.ts'

type CopySettings = Pick<SettingsOf<'projector'>, 'group' | 'dataDir' | 'copies' | 'copyEveryHours'>

/** Between two looks at the age of the newest copy, and after a copy that failed. */
const lookEveryMs = 60_000
/** Of a copy: beyond, its disk does not do. */
const copyMsMax = 3 * 3_600_000

const run = promisify(execFile)

/**
 * Puts the newest copy in the place of a state store that is not there.
 * @param folder of copies of this volume
 * @throws StartupError if that fails: folding from the beginning may take days, so nobody begins it
 * for want of a readable disk
 */
export async function startFromCopy(
  { log }: Pick<ServiceContext, 'log'>,
  { folder, state }: { readonly folder: string; readonly state: string },
): Promise<void> {
  if (existsSync(join(state, stateFileName))) return
  try {
    const copy = await newestCopy(folder)
    if (copy === null) return
    await restoreCopy(copy, state)
    const at = new Date(copy.at).toISOString()
    const told = { event: events.volume.restored, runbook: runbooks.volumeCopies }
    log.warn(told, `the volume was empty: it starts from its copy of ${at}, ${copy.path}`)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new StartupError(
      `The volume is empty, and the newest copy in ${folder} cannot be restored: ${why}. ` +
        `Remove that copy to start from the one before; see ${runbooks.volumeCopies}.`,
    )
  }
}

/**
 * Copies the volume whenever its newest copy is too old, in a child, which has the memory that the
 * copy takes. A copy that fails is tried again; what it costs is that the newest one grows old.
 * @param folder of copies of this volume
 */
export function copyRegularly(
  { log, metrics, components }: ServiceContext,
  { settings, folder }: { readonly settings: CopySettings; readonly folder: string },
): void {
  const ending = new AbortController()
  const { signal } = ending
  const everyMs = settings.copyEveryHours * 3_600_000
  const { group } = settings
  const newest = async () => (await newestCopy(folder))?.at ?? 0
  const told = (at: number) => metrics.volumeCopyTime.set({ group }, at / 1_000)
  const look = async () => {
    const at = await newest()
    told(at)
    if (Date.now() - at < everyMs) return
    const said = await copyInChild(settings, signal)
    told(await newest())
    log.info({ event: events.volume.copied }, said)
  }
  // Also where the folder cannot be read.
  told(0)
  const looks = async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (signal.aborted) return
        const why = error instanceof Error ? error.message : String(error)
        const told = { event: events.volume.copyFailed, runbook: runbooks.volumeCopies }
        log.warn(told, `the volume was not copied: ${why}`)
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

/** @returns what the child says. @throws with what it complains about */
async function copyInChild(settings: CopySettings, signal: AbortSignal): Promise<string> {
  const { group, dataDir, copies } = settings
  const flags = { group, 'data-dir': dataDir, copies, 'log-level': 'warn' }
  const words = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, String(value)])
  const { argv, execArgv, execPath } = process
  const command = [...execArgv, String(argv[1]), 'state', 'copy', ...words]
  const options = { signal, timeout: copyMsMax, killSignal: 'SIGKILL' } as const
  const { stdout } = await run(execPath, command, options)
  return stdout.trim()
}
