import { expect, test } from 'vitest'
import { type LogFields, silentLog } from '../../signals/log.ts'
import {
  connectionsWithin,
  OpenConnections,
  openFilesMax,
  openFilesOf,
} from './open-connections.ts'

test.each([
  ['Max open files            1024                 524288               files     ', 1_024],
  ['Max open files            unlimited            unlimited            files     ', Infinity],
  ['Max processes             7                    7                    processes ', 256],
])('reads the open-file limit of this process: %s', (line, files) => {
  const limits = `Limit                     Soft Limit           Hard Limit           Units\n${line}\n`
  expect(openFilesOf(limits)).toBe(files)
})

test('finds the open-file limit of this process', () => {
  expect(openFilesMax()).toBeGreaterThan(64)
})

test.each([
  [256, 128],
  [1_023, 511],
  [1_024, 512],
  [20_000, 19_488],
])('of %i open files %i may be connections', (files, connections) => {
  expect(connectionsWithin(files)).toBe(connections)
})

/** Closing one calls `count` again, as the library does. */
function connectionTo(connections: OpenConnections) {
  const connection = {
    isClosed: false,
    close() {
      connection.isClosed = true
      connections.count(connection, -1)
    },
  }
  connections.count(connection, 1)
  return connection
}

test('closes new connections at the limit, in one log line, until one has left', () => {
  const lines: LogFields[] = []
  const log = { ...silentLog, warn: (fields: LogFields) => void lines.push(fields) }
  const connections = new OpenConnections({ log, connectionsMax: 2 })
  const opened = Array.from({ length: 6 }, () => connectionTo(connections))
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, false, true, true, true, true])
  expect(lines).toMatchObject([{ refused: 1, connectionsMax: 2 }])
  opened[0]?.close()
  expect(connectionTo(connections).isClosed).toBe(false)
  expect(connectionTo(connections).isClosed).toBe(true)
})
