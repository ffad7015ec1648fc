import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sieve } from './sieve.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const sieveOf = (sizeMax: number, entrySizeMax = sizeMax) => {
  const evicted: string[] = []
  const options = { sizeMax, entrySizeMax, sizeOf: (size: number) => size }
  const sieve = new Sieve<number>({ ...options, evicted: (_, key) => evicted.push(key) })
  return { sieve, evicted }
}

test('evicts the oldest that nobody has used', () => {
  const { sieve, evicted } = sieveOf(3)
  for (const key of ['a', 'b', 'c']) sieve.set(key, 1, false)
  sieve.get('a')
  sieve.peek('b')
  sieve.set('d', 1, false)
  sieve.set('e', 1, false)
  expect(evicted).toEqual(['b', 'c'])
  expect(sieve.get('b')).toBeUndefined()
})

test('a use counts until the hand has passed once', () => {
  const { sieve, evicted } = sieveOf(2)
  sieve.set('a', 1, true)
  sieve.set('b', 1, true)
  for (const key of ['c', 'd', 'e']) sieve.set(key, 1, false)
  expect(evicted).toEqual(['a', 'b', 'c'])
})

test('a value that is set again has its new size, and is used if that counts as a use', () => {
  const { sieve, evicted } = sieveOf(10)
  sieve.set('a', 6, false)
  sieve.set('a', 3, true)
  expect(sieve.size).toBe(3)
  sieve.set('b', 7, false)
  sieve.set('c', 4, false)
  expect(evicted).toEqual(['b'])
  expect([sieve.peek('a'), sieve.has('b'), sieve.size]).toEqual([3, false, 7])
})

test('what is too large is not cached, and nothing gives way to it', () => {
  const { sieve, evicted } = sieveOf(10, 5)
  sieve.set('a', 5, false)
  sieve.set('b', 6, false)
  sieve.set('a', 7, false)
  expect([sieve.peek('a'), sieve.peek('b'), sieve.size, evicted]).toEqual([
    undefined,
    undefined,
    0,
    [],
  ])
})

test('what was replaced or deleted is not kept, however full it is', async () => {
  const sieve = new Sieve<object>({ sizeMax: 1_000, sizeOf: () => 1 })
  const replaced: WeakRef<object>[] = []
  const setAll = () => {
    for (let at = 0; at < 100; at++) {
      const value = { at }
      replaced.push(new WeakRef(value))
      sieve.set(`key ${at}`, value, true)
    }
  }
  for (let round = 0; round < 10; round++) setAll()
  for (let at = 0; at < 50; at++) sieve.delete(`key ${at}`)
  // A reference is read in the turn of the event loop that made it.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  expect(replaced.filter((one) => one.deref() !== undefined)).toHaveLength(50)
  expect(sieve.size).toBe(50)
})

interface Named {
  readonly key: string
  readonly size: number
  isUsed: boolean
}

/** Entries in a list, and the place of the hand in it. */
class NaiveSieve {
  list: Named[] = []
  hand = 0

  get size(): number {
    return this.list.reduce((sum, { size }) => sum + size, 0)
  }

  use(key: string): void {
    for (const one of this.list) if (one.key === key) one.isUsed = true
  }

  remove(key: string): void {
    const at = this.list.findIndex((one) => one.key === key)
    if (at === -1) return
    this.list.splice(at, 1)
    if (at < this.hand) this.hand -= 1
    if (this.hand === this.list.length) this.hand = 0
  }

  set(key: string, size: number, { sizeMax, isUsed }: { sizeMax: number; isUsed: boolean }): void {
    this.remove(key)
    if (size > sizeMax) return
    while (this.size + size > sizeMax) {
      const one = this.list[this.hand]
      if (one === undefined) throw new Error('nothing left to evict')
      if (one.isUsed) this.hand = (this.hand + 1) % this.list.length
      else this.remove(one.key)
      one.isUsed = false
    }
    this.list.push({ key, size, isUsed })
  }
}

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

test(`holds what a list with a hand holds (seed ${seed})`, () => {
  const sizeMax = 20
  const step = fc.record({
    kind: fc.constantFrom('set', 'set', 'get', 'delete'),
    key: fc.constantFrom(...'abcdefghijkl'),
    size: fc.integer({ min: 1, max: 22 }),
    isUsed: fc.boolean(),
  })
  const held = fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
    const { sieve } = sieveOf(sizeMax)
    const naive = new NaiveSieve()
    for (const { kind, key, size, isUsed } of steps) {
      if (kind === 'set') {
        sieve.set(key, size, isUsed)
        naive.set(key, size, { sizeMax, isUsed })
      } else if (kind === 'get') {
        sieve.get(key)
        naive.use(key)
      } else {
        sieve.delete(key)
        naive.remove(key)
      }
      const keys = [...'abcdefghijkl'].filter((one) => sieve.has(one))
      expect(keys).toEqual(naive.list.map((one) => one.key).sort())
      expect(sieve.size).toBe(naive.size)
    }
  })
  fc.assert(held, { seed })
})
