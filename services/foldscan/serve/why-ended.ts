import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { Refusal } from '../refusal.ts'

/** A failure of a service that a server has caused, by the name of that server; else as it is. */
export function whyEnded(error: unknown): unknown {
  if (error instanceof StoreUnavailable) {
    return new Refusal(`ClickHouse was away for too long: ${error.message}. ${see.store}`)
  }
  if (error instanceof LogUnavailable) {
    return new Refusal(`Kafka was away for too long: ${error.message}. ${see.log}`)
  }
  return error
}

const see = {
  store: `The next start goes on. See ${runbooks.engineAway}.`,
  log: `The next start goes on. See ${runbooks.logAway}.`,
}
