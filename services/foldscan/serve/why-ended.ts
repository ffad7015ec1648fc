import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import { StoreUnavailable } from '../../../libs/ports/store.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../refusal.ts'

/** A failure of a service that a server has caused, by the name of that server; else as it is. */
export function nameFailedServer(error: unknown): unknown {
  if (error instanceof StoreUnavailable) {
    return new StartupError(`ClickHouse was away for too long: ${error.message}. ${see.store}`)
  }
  if (error instanceof LogUnavailable) {
    return new StartupError(`Kafka was away for too long: ${error.message}. ${see.log}`)
  }
  return error
}

const see = {
  store: `The next start goes on. See ${runbooks.engineAway}.`,
  log: `The next start goes on. See ${runbooks.logAway}.`,
}
