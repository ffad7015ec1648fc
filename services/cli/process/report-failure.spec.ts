import { afterEach, describe, expect, it, vi } from 'vitest'
import { events } from '../../../libs/signals/events.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { reportFailure } from './failure.ts'
import type { OutputKind } from './process-log.ts'

afterEach(() => vi.unstubAllGlobals())

/** Who watches: a person at a terminal, or a collector and a supervisor. */
interface Streams {
  readonly stdout: boolean
  readonly stderr: boolean
}

function reported(kind: OutputKind, isTerminal: Streams) {
  const fatal: unknown[] = []
  const printed: string[] = []
  vi.stubGlobal('process', {
    ...process,
    stdout: { isTTY: isTerminal.stdout },
    stderr: { isTTY: isTerminal.stderr, write: (text: string) => printed.push(text) },
  })
  const log = {
    ...silentLog,
    fatal: (fields: object, text: string) => fatal.push({ ...fields, text }),
  }
  reportFailure(new StartupError('The port is in use.'), { kind, log, dataDir: null })
  return { fatal, printed }
}

const line = {
  event: events.service.failed,
  errorClass: 'StartupError',
  text: 'The port is in use.',
}

describe('the reason of an exit', () => {
  it('of a service is a fatal line of its log, and nothing beside it', () => {
    expect(reported('service', { stdout: false, stderr: false })).toEqual({
      fatal: [line],
      printed: [],
    })
  })

  it('of a service is also a sentence on stderr, where people watch that', () => {
    expect(reported('service', { stdout: false, stderr: true })).toEqual({
      fatal: [line],
      printed: ['The port is in use.\n'],
    })
  })

  it('is the sentence alone on a terminal', () => {
    expect(reported('service', { stdout: true, stderr: true })).toEqual({
      fatal: [],
      printed: ['The port is in use.\n'],
    })
  })

  it('of a task is a sentence on stderr, on a terminal or not', () => {
    for (const isTerminal of [true, false]) {
      expect(reported('task', { stdout: isTerminal, stderr: isTerminal })).toEqual({
        fatal: [],
        printed: ['The port is in use.\n'],
      })
    }
  })
})
