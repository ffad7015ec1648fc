import { startMetrics } from '../../../libs/signals/metrics.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { startRepair, type UndoneBlocks } from '../../ingestor/repair.ts'
import type { Run } from '../command.ts'
import { openSource } from '../open-source.ts'
import { prepareFolder } from '../process/folder-lock.ts'
import { confirmChain } from '../serve/chain-check.ts'
import { openVolume } from '../serve/servers/open-volume.ts'
import { withCoinEmitters } from '../start-publishing.ts'
import { openClusterLog, print, runTask } from './run-task.ts'

/** `foldscan repair --from N`: on the volume of the ingestor, where it has one. */
export const operateRepair: Run<'repair'> = (settings, { log }) =>
  runTask(log, async (task) => {
    const { dataDir, fromBlock, allowGaps, coinEmitters, force: isForced } = settings
    const from = requiredFrom(settings.from)
    const { components } = task
    const metrics = startMetrics()
    const folder = prepareFolder(dataDir)
    const eventLog = await openClusterLog(task, { settings, topics: ['blocks'] })
    const source = await openSource({ ...task, settings, folder, metrics, waitsForBacklog: true })
    await confirmChain({ settings, sourceChainId: source.chainId, eventLog })
    const owner = `chain ${source.chainId}`
    const state = openVolume({ dataDir, name: 'ingestor-volume', owner, components })
    const first = fromBlock === null ? {} : { fromBlock }
    const given = { allowGaps, ...withCoinEmitters(coinEmitters), ...first }
    const repair = await startRepair({ from, isForced, source, eventLog, state, log, ...given })
    components.add({ name: 'repair', stop: () => repair.stop() })
    if (repair.undone !== null) await print(undoing(repair.undone))
    const { to, block } = await repair.repaired
    const head = block === null ? 'no block' : `block ${block}`
    await print(
      to < from
        ? `nothing to publish: the log has what the source has, up to ${head}`
        : `published messages ${from} to ${to}, up to ${head}`,
    )
    return 0
  })

/** The parser refuses a start without it. */
function requiredFrom(from: number | null): number {
  if (from === null) throw new StartupError('Name the first message with --from.')
  return from
}

const undoing = ({ first, last, transactions }: UndoneBlocks): string =>
  first === last
    ? `undoing block ${last} with ${transactions} transactions`
    : `undoing blocks ${first} to ${last} with ${transactions} transactions`
