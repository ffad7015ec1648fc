import { statusStreamPath } from '../../services/api/status/status-page.ts'

/** The sections that a stream has sent so far, as the page keeps them. */
export interface StatusReader {
  readonly response: Response
  readonly seen: Readonly<Record<string, unknown>>
  /** Resolves when either side has ended the stream. */
  readonly ended: Promise<void>
  leave(): void
}

/** Reads the stream of the status page. */
export async function readStatus(origin: string): Promise<StatusReader> {
  const leaving = new AbortController()
  const response = await fetch(origin + statusStreamPath, { signal: leaving.signal })
  const seen: Record<string, unknown> = {}
  const reading = async () => {
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const events = `${rest}${Buffer.from(chunk).toString()}`.split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) Object.assign(seen, JSON.parse(event.slice('data: '.length)))
    }
  }
  const ended = reading().catch(() => {})
  return { response, seen, ended, leave: () => leaving.abort() }
}
