import { afterEach, expect, test } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { consoleToLog } from './console-to-log.ts'

const theConsole = globalThis.console
const { error, warn } = theConsole
afterEach(() => {
  Object.assign(theConsole, { error, warn })
})

test('a library that writes on the console writes into the log', () => {
  const lines: unknown[] = []
  consoleToLog({ ...silentLog, debug: (line: object) => lines.push(line) })
  theConsole.error(new Error('Input/output error'))
  expect(lines).toEqual([{ event: events.up.libraryWrote, text: 'Error: Input/output error' }])
})
