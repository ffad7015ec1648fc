import { type EventLog, LogUnavailable } from '../../libs/ports/event-log.ts'

type Call = 'append' | 'read' | 'end' | 'begin'
/** `lost`: the call did not arrive; `unheard`: it arrived, and the answer did not. */
export type Fault = 'lost' | 'unheard'

/** A log whose n-th calls fail as given, counted from 0 for each kind of call. */
export function unreliableLog(
  eventLog: EventLog,
  faults: Partial<Record<Call, readonly (Fault | null)[]>>,
): EventLog {
  const left = new Map(Object.entries(faults).map(([call, list]) => [call, [...list]]))
  const through = async <T>(call: Call, made: () => Promise<T>): Promise<T> => {
    const fault = left.get(call)?.shift() ?? null
    if (fault === 'lost') throw new LogUnavailable(`${call} did not arrive`)
    const answer = await made()
    if (fault === 'unheard') throw new LogUnavailable(`${call} was not answered in time`)
    return answer
  }
  return {
    append: (topic, messages) => through('append', () => eventLog.append(topic, messages)),
    read: (topic, offset, limit) => through('read', () => eventLog.read(topic, offset, limit)),
    begin: (topic) => through('begin', () => eventLog.begin(topic)),
    end: (topic) => through('end', () => eventLog.end(topic)),
    waitBeyond: (topic, offset, signal) => eventLog.waitBeyond(topic, offset, signal),
    close: () => eventLog.close(),
  }
}
