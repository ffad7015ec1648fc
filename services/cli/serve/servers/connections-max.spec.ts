import { expect, test } from 'vitest'
import { allowedConnections } from './connections-max.ts'

test('leaves the limit of connections to the server where it is not set', () => {
  expect(allowedConnections({ connectionsMax: null }, 64)).toBeUndefined()
})

test('takes a limit of connections that leaves files for everything else', () => {
  expect(allowedConnections({ connectionsMax: 512 }, 1_024)).toBe(512)
})

test('does not start with a limit of connections above the open-file limit', () => {
  expect(() => allowedConnections({ connectionsMax: 513 }, 1_024)).toThrow(
    'Foldscan may have 1024 files open, too few for 513 connections. Raise the open-file limit ' +
      '(ulimit -n), or lower --connections-max to 512 or less.',
  )
})
