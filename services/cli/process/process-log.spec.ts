import { pbkdf2 } from 'node:crypto'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { events } from '../../../libs/signals/events.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { startLogger } from '../../../libs/signals/logger.ts'
import { consoleToLog, orderedDestination } from './process-log.ts'

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

test('the fatal line is the last one, however busy the threads are that write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-log-'))
  const file = join(folder, 'lines')
  const { to, flush } = orderedDestination(openSync(file, 'w'))
  const log = startLogger({ level: 'info', service: 'up', to })
  const work = Array.from({ length: 8 }, () =>
    promisify(pbkdf2)('password', 'salt', 20_000, 64, 'sha512'),
  )
  log.info({ event: events.up.stopping }, 'stopping')
  await flush()
  log.fatal({ event: events.service.failed }, 'The port is in use.')
  await Promise.all(work)
  await flush()
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).event)).toEqual([
    events.up.stopping,
    events.service.failed,
  ])
  rmSync(folder, { recursive: true })
})
