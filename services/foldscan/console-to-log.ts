import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'

/**
 * What libraries write on the console becomes lines of the log: lmdb prints the error of a failed
 * commit there before it rejects with it, beside the one sentence that people are told.
 */
export function consoleToLog(log: Log): void {
  const said = (...words: unknown[]) =>
    log.debug(
      { event: events.up.libraryWrote, text: words.map(String).join(' ') },
      'said a library',
    )
  Object.assign(console, { error: said, warn: said })
}
