import { type EventLog, LogUnavailable } from '../../../libs/ports/event-log.ts'
import { type Store, StoreUnavailable } from '../../../libs/ports/store.ts'

/** Time from the stop request until pending calls are abandoned. */
const graceMs = 2_000

/**
 * A shutdown must not wait for unavailable servers. An abandoned call may still have succeeded: the
 * next start finds out, as after a kill.
 */
class Abortable {
  private readonly waiting = new Set<() => void>()
  private isOver = false

  constructor(signal: AbortSignal) {
    const over = () => {
      this.isOver = true
      for (const giveUp of this.waiting) giveUp()
      this.waiting.clear()
    }
    signal.addEventListener('abort', () => void setTimeout(over, graceMs), { once: true })
  }

  /** The result, or the error once the time is over. */
  unlessOver<T>(answer: Promise<T>, error: (sentence: string) => Error): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = () => reject(error('given up, as this process stops'))
      if (this.isOver) giveUp()
      this.waiting.add(giveUp)
      answer.then(resolve, reject).finally(() => this.waiting.delete(giveUp))
    })
  }
}

/** The log; pending calls fail with LogUnavailable some time after the signal has aborted. */
export function abortableLog(log: EventLog, signal: AbortSignal): EventLog {
  const leaving = new Abortable(signal)
  const left = <T>(answer: Promise<T>) =>
    leaving.unlessOver(answer, (sentence) => new LogUnavailable(sentence))
  return {
    append: (topic, messages) => left(log.append(topic, messages)),
    read: (topic, offset, limit) => left(log.read(topic, offset, limit)),
    begin: (topic) => left(log.begin(topic)),
    end: (topic) => left(log.end(topic)),
    waitBeyond: (topic, offset, until) => left(log.waitBeyond(topic, offset, until)),
    close: () => log.close(),
  }
}

/** The store; pending calls fail with StoreUnavailable some time after the signal has aborted. */
export function abortableStore(store: Store, signal: AbortSignal): Store {
  const leaving = new Abortable(signal)
  const left = <T>(answer: Promise<T>) =>
    leaving.unlessOver(answer, (sentence) => new StoreUnavailable(sentence))
  return {
    insert: (table, columns, rows) => left(store.insert(table, columns, rows)),
    query: (sql, parameters, options) => left(store.query(sql, parameters, options)),
    execute: (sql) => left(store.execute(sql)),
    ping: (signal) => left(store.ping(signal)),
    close: () => store.close(),
  }
}
