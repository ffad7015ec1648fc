import { randomInt } from 'node:crypto'
import { join, resolve } from 'node:path'
import { type NodeReader, nodeReader } from '../../../libs/adapters/rpc/node-reader.ts'
import { defaultCoinEmitters } from '../../../libs/chain/coin-emitters.ts'
import { type Address, address, isAddress } from '../../../libs/chain/hex.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { demoUrl } from '../../demo-chain/demo-url.ts'
import type { Run } from '../command.ts'
import { sourceForm } from '../process/check-start.ts'
import { describeFailure } from '../process/failure.ts'
import { reportProgress } from '../serve/report-progress.ts'
import type { AuditReport } from './audit/audit-report.ts'
import { auditSample } from './audit/audit-sample.ts'
import { auditText } from './audit/audit-text.ts'
import { indexedBlock } from './audit/indexed-block.ts'
import { explorer } from './explorer/explorer.ts'
import { explorerUrl } from './explorer/explorer-url.ts'
import { quoted } from './import/imported.ts'
import { interruptedExitCode, print, runTask, type TaskContext } from './run-task.ts'

type AuditSettings = SettingsOf<'audit'>

const exitCodes: Readonly<Record<AuditReport['status'], number>> = {
  equal: 0,
  differs: 1,
  incomplete: 2,
}

const seedEnd = 2 ** 32

/** `foldscan audit`: compares what a Foldscan API shows with a node, once or again and again. */
export const operateAudit: Run<'audit'> = async (settings, { log }) => {
  let hasDiffered = false
  const exitCode = await runTask(log, async (task) => {
    const { signal, components } = task
    const token = settings.token === null ? null : tokenOf(settings.token)
    const onWait = (seconds: number) =>
      log.warn({ event: events.service.waiting }, `API returned 429: waiting for ${seconds} s`)
    const api = explorer({ url: explorerUrl(settings.url, '--url'), signal, onWait })
    const node = await openNode(settings, task)
    let compared = 0
    let rounds = 0
    reportProgress({
      ...{ log, components },
      progress: () => ({ position: compared, sentence: `compared ${compared} subjects` }),
    })
    const once = async (): Promise<AuditReport> => {
      const indexed = await indexedBlock({ api, node, token, signal })
      const report = await auditSample({
        ...{ api, node, indexed, token, signal, sample: settings.sample },
        coinEmitters: new Set(settings.coinEmitters ?? defaultCoinEmitters),
        // Of `--watch` another one each time, from the given one on.
        seed: settings.seed === null ? randomInt(seedEnd) : (settings.seed + rounds++) % seedEnd,
        timeMs: settings.timeSeconds * 1_000,
        onProgress: () => {
          compared += 1
        },
      })
      hasDiffered ||= report.status === 'differs'
      return report
    }
    if (settings.watch) return watch(once, settings, signal)
    const report = await once()
    await print(outputOf(report, settings))
    return exitCodes[report.status]
  })
  // To interrupt it is how watching ends.
  if (!settings.watch || exitCode !== interruptedExitCode) return exitCode
  return hasDiffered ? exitCodes.differs : 0
}

const outputOf = (report: AuditReport, { json }: AuditSettings): string =>
  json ? JSON.stringify(report) : auditText(report)

/** What cannot be asked for the moment may be asked at the next time. */
async function watch(
  once: () => Promise<AuditReport>,
  settings: AuditSettings,
  signal: AbortSignal,
): Promise<number> {
  while (!signal.aborted) {
    const output = await once().then(
      (report) => outputOf(report, settings),
      (error: unknown) => {
        const { sentence } = describeFailure(error, null)
        return settings.json ? JSON.stringify({ status: 'failed', reason: sentence }) : sentence
      },
    )
    await print(settings.json ? output : `${new Date().toISOString()}\n\n${output}\n`)
    await pause(settings.intervalSeconds * 1_000, signal)
  }
  return interruptedExitCode
}

function tokenOf(text: string): Address {
  const lower = text.toLowerCase()
  if (isAddress(lower)) return address(lower)
  throw new StartupError(`--token is no address of 40 hex digits: ${quoted(text)}.`)
}

async function openNode(settings: AuditSettings, task: TaskContext): Promise<NodeReader> {
  const node = await nodeReader({
    url: nodeUrl(settings),
    log: task.log,
    limits: {
      batchCallsMax: settings.nodeBatchCalls,
      requestsMax: settings.nodeRequests,
      callGas: settings.nodeCallGas,
    },
    callsPerSecondMax: settings.callsPerSecond,
  })
  task.components.add({ name: 'node', stop: async () => node.close() })
  return node
}

/** @throws StartupError */
function nodeUrl({ source, dataDir }: AuditSettings): string {
  const form = sourceForm(source)
  if (form.kind === 'node') return source
  if (form.kind === 'folder') {
    throw new StartupError('A folder has no state to compare with. Name a node: --source URL.')
  }
  const folder = join(resolve(dataDir), 'demo')
  const url = demoUrl(folder)
  if (url !== null) return url
  throw new StartupError(
    `No demo chain runs in ${folder}. Start \`foldscan up\` with that --data-dir, or name the ` +
      'node that Foldscan indexes: --source URL.',
  )
}
