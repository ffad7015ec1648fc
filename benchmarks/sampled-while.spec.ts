import { expect, it } from 'vitest'
import { sampledWhile } from './sampled-while.ts'

it('samples until the work is done', async () => {
  let next = 0
  let done: (value: string) => void = () => {}
  const work = new Promise<string>((resolve) => {
    done = resolve
  })
  const sample = () => {
    next += 1
    if (next === 3) done('done')
    return next
  }
  const { samples, result } = await sampledWhile({ everyMs: 1, sample }, () => work)
  expect(result).toBe('done')
  expect(samples.slice(0, 3)).toEqual([1, 2, 3])
})

it('throws what a sample throws', async () => {
  const sample = () => {
    throw new Error('no such process')
  }
  const neverDone = () => new Promise<never>(() => {})
  await expect(sampledWhile({ everyMs: 1, sample }, neverDone)).rejects.toThrow('no such process')
})

it('throws what the work throws', async () => {
  const work = () => Promise.reject(new Error('the cause'))
  await expect(sampledWhile({ everyMs: 1, sample: () => 1 }, work)).rejects.toThrow('the cause')
})
