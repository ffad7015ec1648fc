import { afterEach, expect, test } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { consoleToLog } from './process-log.ts'

const theConsole = globalThis.console
const { error, warn, info, log, debug } = theConsole
const listeners = process.listeners('warning')

afterEach(() => {
  Object.assign(theConsole, { error, warn, info, log, debug })
  process.removeAllListeners('warning')
  for (const listener of listeners) process.on('warning', listener)
})

test('what libraries and Node print becomes log lines, and nothing else stands among them', () => {
  const lines: string[] = []
  const noted = (level: string) => (fields: object, sentence: string) => {
    expect(fields).toEqual({ event: events.service.libraryWrote })
    lines.push(`${level} ${sentence}`)
  }
  consoleToLog({ ...silentLog, debug: noted('debug'), warn: noted('warn') })
  theConsole.error('commit of %s:', 'state', { code: 5 })
  theConsole.log('by the way')
  process.emit('warning', Object.assign(new Error('-1 is negative'), { name: 'TimeoutWarning' }))
  expect(lines).toEqual([
    'warn a library wrote to the console: commit of state: { code: 5 }',
    'debug a library wrote to the console: by the way',
    'debug TimeoutWarning: -1 is negative',
  ])
})
