import { StartupError } from '../../../../libs/signals/startup-error.ts'
import type { ServiceContext } from '../serve.ts'
import { type AnswerOfWorker, askedOfWorker } from './worker-messages.ts'

/** No setting, which people could set: it means nothing without the channel of a supervisor. */
export const workerVariable = 'API_WORKER_NUMBER'

/** The number of this process among the workers of a supervisor; null if it has none. */
export function ownWorkerNumber(): number | null {
  const text = process.env[workerVariable]
  return process.send === undefined || !text?.match(/^\d{1,4}$/) ? null : Number(text)
}

/**
 * Answers the supervisor from now on, and ends this process, with the requests in flight answered,
 * when the supervisor has ended: nobody would restart it, nor read its metrics.
 */
export function answerSupervisor(
  { health, metrics, components }: Pick<ServiceContext, 'health' | 'metrics' | 'components'>,
  worker: number,
): void {
  metrics.registry.setDefaultLabels({ worker: String(worker) })
  const reply = (answer: AnswerOfWorker) => {
    // Not while the channel closes: a failure is what `disconnect` reports.
    if (process.connected) process.send?.(answer, () => {})
  }
  process.on('message', async (message: unknown) => {
    const { id, ask } = askedOfWorker.parse(message)
    if (ask === 'metrics') reply({ id, metrics: await metrics.registry.metrics() })
    else reply({ id, reasons: [...(await health.reasons())] })
  })
  const failed = new Promise<StartupError>((resolve) => {
    const end = () => resolve(new StartupError('The supervisor of this worker has ended.'))
    process.once('disconnect', end)
    if (!process.connected) end()
  })
  components.add({ name: 'supervisor', stop: () => Promise.resolve(), failed })
}
