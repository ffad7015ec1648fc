import { describe, expect, test } from 'vitest'
import { serverOfKey, urlsIn } from './server-of-key.ts'

const servers = ['redis://a:6379/0', 'redis://b:6379/0', 'redis://c:6379/0']
const keys = Array.from({ length: 1_500 }, (_, n) => `pages|${n}`)
const namesBy = (list: readonly string[]) => {
  const placeOf = serverOfKey(list)
  return keys.map((key) => list[placeOf(key)])
}
const names = namesBy(servers)

describe('the server of a key', () => {
  test('is the same whatever the order of the list', () =>
    expect(namesBy([...servers].reverse())).toEqual(names))

  test('is each one for about as many keys', () => {
    const counts = servers.map((server) => names.filter((one) => one === server).length)
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(50)
  })

  test('stays the same for the keys of all others where one is lost', () => {
    const [lost, ...left] = servers
    const after = namesBy(left)
    const moved = names.filter((server, at) => server !== lost && server !== after[at])
    expect(moved).toEqual([])
    const ofLost = after.filter((_, at) => names[at] === lost)
    for (const server of left) expect(ofLost).toContain(server)
  })
})

test('a list of servers has commas, and none twice', () => {
  expect(urlsIn('redis://a, redis://b,redis://a')).toEqual(['redis://a', 'redis://b'])
  expect(() => urlsIn('redis://a,')).toThrow(/is empty/)
})
