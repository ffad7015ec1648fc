import { EventEmitter } from 'node:events'
import { describe, expect, it, test } from 'vitest'
import { silentLog } from '../../../libs/signals/log.ts'
import { firstCrash, startComponents } from './run-until-stopped.ts'

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

const never = new Promise<never>(() => {})

describe('the components', () => {
  it('stop in the opposite order of their start', async () => {
    const stopped: string[] = []
    const components = startComponents()
    for (const name of ['engine', 'projector', 'ingestor']) {
      components.add({ name, stop: async () => void stopped.push(name) })
    }
    expect(await components.stop(1000)).toEqual([])
    expect(stopped).toEqual(['ingestor', 'projector', 'engine'])
  })

  it('name those that hang, and stop the others all the same', async () => {
    const stopped: string[] = []
    const components = startComponents()
    components.add({ name: 'engine', stop: async () => void stopped.push('engine') })
    components.add({ name: 'hanging', stop: () => never })
    expect(await components.stop(0)).toEqual(['hanging'])
    expect(stopped).toEqual(['engine'])
  })

  it('stop the others when one throws while it stops', async () => {
    const stopped: string[] = []
    const components = startComponents()
    components.add({ name: 'engine', stop: async () => void stopped.push('engine') })
    components.add({ name: 'throwing', stop: () => Promise.reject(new Error('no')) })
    expect(await components.stop(1000)).toEqual([])
    expect(stopped).toEqual(['engine'])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('gone'))],
    ['resolves', () => Promise.resolve(new Error('gone'))],
  ])('fail as a whole when the promise of one %s', async (_, failed) => {
    const components = startComponents()
    components.add({ name: 'engine', stop: async () => {}, failed: failed() })
    await expect(components.failed).rejects.toThrow('gone')
  })

  it('stop what comes up after the stop', async () => {
    const stopped: string[] = []
    const components = startComponents()
    await components.stop(1000)
    components.add({ name: 'late', stop: async () => void stopped.push('late') })
    expect(stopped).toEqual(['late'])
  })

  it('do not fail because one ends that was stopped', async () => {
    const components = startComponents()
    let end = (_: string) => {}
    const failed = new Promise<string>((resolve) => {
      end = resolve
    })
    components.add({ name: 'engine', stop: async () => end('ended'), failed })
    await components.stop(1000)
    expect(await Promise.race([components.failed.catch(() => 'failed'), failed])).toBe('ended')
  })
})
