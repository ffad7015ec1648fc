import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { silentLog } from '../../libs/signals/log.ts'
import { firstCrash } from './run-until-stopped.ts'

test('the first crash begins a stop, and a second one does not end it in the middle', async () => {
  const process = new EventEmitter()
  const said: string[] = []
  const log = { ...silentLog, error: (_fields: object, text: string) => said.push(text) }
  const crashed = firstCrash(process, log)
  process.emit('uncaughtException', new Error('first'))
  await expect(crashed).rejects.toThrow('first')
  expect(process.emit('uncaughtException', new Error('second'))).toBe(true)
  expect(process.emit('uncaughtException', 'third')).toBe(true)
  expect(said).toEqual([
    'another failure while stopping: second',
    'another failure while stopping: third',
  ])
})
