import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import type { Run } from '../command.ts'
import { prepareFolder } from '../process/folder-lock.ts'
import { openLogIn } from './import.ts'
import type { Manifest } from './log/export-folder.ts'
import { type Exported, exportFileBytesMax, exportLog } from './log/export-log.ts'
import { importLog } from './log/import-log.ts'
import { interruptedExitCode, openClusterLog, print, runTask } from './run-task.ts'

const topics = ['blocks']

/** `foldscan log export FOLDER` */
export const logExport: Run<'log export'> = (settings, { log, words: [word = ''] }) =>
  runTask(log, async (task) => {
    const { from, to, fromDataDir } = settings
    const eventLog =
      fromDataDir === null
        ? await openClusterLog(task, { settings, topics })
        : await openLogIn(task, usedFolder(fromDataDir))
    const [folder, { signal }] = [resolve(word), task]
    const options = { folder, from, to, fileBytesMax: exportFileBytesMax }
    const exported = await exportLog({ eventLog, ...options, signal })
    await print(exportText(exported, folder))
    if (signal.aborted) return interruptedExitCode
    refuseShort(exported, to)
    return 0
  })

/** `foldscan log import FOLDER` */
export const logImport: Run<'log import'> = (settings, { log, words: [word = ''] }) =>
  runTask(log, async (task) => {
    const { intoDataDir, chainId } = settings
    const eventLog =
      intoDataDir === null
        ? await openClusterLog(task, { settings, topics })
        : await openLogIn(task, prepareFolder(intoDataDir))
    const [folder, { signal }] = [resolve(word), task]
    const { manifest, known, count } = await importLog({ eventLog, folder, chainId, signal })
    const had = known === 0 ? '' : `; the topic had ${known} before`
    await print(`published ${count} messages of ${rangeText(manifest)} from ${folder}${had}`)
    return signal.aborted ? interruptedExitCode : 0
  })

/** @throws StartupError if `up` never used it */
function usedFolder(dataDir: string): string {
  const folder = resolve(dataDir)
  if (existsSync(join(folder, 'log', 'log.lmdb'))) return folder
  throw new StartupError(`The folder ${folder} of --from-data-dir holds no log.`)
}

function exportText({ manifest, count }: Exported, folder: string): string {
  if (manifest === null) return 'exported nothing'
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  const of = manifest.files.length === 1 ? 'a file' : `${manifest.files.length} files`
  return `exported ${count} messages: ${folder} holds ${rangeText(manifest)} in ${of} of ${bytes} bytes`
}

const rangeText = ({ chainId, from, next: { accepted } }: Manifest): string => {
  const head = accepted.head === null ? '' : `, up to block ${accepted.head.number}`
  return `positions ${from} to ${accepted.sequence} of chain ${chainId}${head}`
}

/** @throws StartupError if not all was there that was asked for, or that the topic has */
function refuseShort({ manifest, leftover }: Exported, to: number | null): void {
  const last = manifest?.next.accepted.sequence ?? 0
  if (to !== null && last >= to) return
  if (leftover !== null) {
    throw new StartupError(
      `Topic blocks has no accepted message after position ${last}: that at offset ` +
        `${leftover.offset} is skipped (${leftover.reason}).`,
    )
  }
  if (to !== null) throw new StartupError(`Topic blocks ends at position ${last}, --to is ${to}.`)
}
