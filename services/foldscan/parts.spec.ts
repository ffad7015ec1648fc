import { describe, expect, it } from 'vitest'
import { startComponents } from './parts.ts'

const never = new Promise<never>(() => {})

describe('the parts', () => {
  it('stop in the opposite order of their start', async () => {
    const stopped: string[] = []
    const parts = startComponents()
    for (const name of ['engine', 'projector', 'ingestor']) {
      parts.add({ name, stop: async () => void stopped.push(name) })
    }
    expect(await parts.stop(1000)).toEqual([])
    expect(stopped).toEqual(['ingestor', 'projector', 'engine'])
  })

  it('name those that hang, and stop the others all the same', async () => {
    const stopped: string[] = []
    const parts = startComponents()
    parts.add({ name: 'engine', stop: async () => void stopped.push('engine') })
    parts.add({ name: 'hanging', stop: () => never })
    expect(await parts.stop(0)).toEqual(['hanging'])
    expect(stopped).toEqual(['engine'])
  })

  it('stop the others when one throws while it stops', async () => {
    const stopped: string[] = []
    const parts = startComponents()
    parts.add({ name: 'engine', stop: async () => void stopped.push('engine') })
    parts.add({ name: 'throwing', stop: () => Promise.reject(new Error('no')) })
    expect(await parts.stop(1000)).toEqual([])
    expect(stopped).toEqual(['engine'])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('gone'))],
    ['resolves', () => Promise.resolve(new Error('gone'))],
  ])('fail as a whole when the promise of one %s', async (_, failed) => {
    const parts = startComponents()
    parts.add({ name: 'engine', stop: async () => {}, failed: failed() })
    await expect(parts.failed).rejects.toThrow('gone')
  })

  it('stop what comes up after the stop', async () => {
    const stopped: string[] = []
    const parts = startComponents()
    await parts.stop(1000)
    parts.add({ name: 'late', stop: async () => void stopped.push('late') })
    expect(stopped).toEqual(['late'])
  })

  it('do not fail because one ends that was stopped', async () => {
    const parts = startComponents()
    let end = (_: string) => {}
    const failed = new Promise<string>((resolve) => {
      end = resolve
    })
    parts.add({ name: 'engine', stop: async () => end('ended'), failed })
    await parts.stop(1000)
    expect(await Promise.race([parts.failed.catch(() => 'failed'), failed])).toBe('ended')
  })
})
