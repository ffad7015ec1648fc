import { expect, it } from 'vitest'
import { CoinTurns } from './coin-turns.ts'

const at = Date.parse('2023-07-13T10:00:00Z')
const hour = 3_600_000
const options = { jumpFactor: 2, from: '2023-07-10', hasNow: true, everyMs: 1_000 }
const coin = (known: Record<string, string> = {}, more: Partial<typeof options> = {}) =>
  new CoinTurns(new Map(Object.entries(known)), { ...options, ...more })

function filled(turns: CoinTurns, price: (day: string) => string | null): string[] {
  const asked: string[] = []
  for (let day = turns.nextDay(at); day !== null && asked.length < 10; day = turns.nextDay(at)) {
    asked.push(day)
    turns.settle(day, price(day), at)
  }
  return asked
}

it('asks for the days before today that are not known, the newest first', () => {
  expect(filled(coin(), () => '5')).toEqual(['2023-07-12', '2023-07-11', '2023-07-10'])
  expect(filled(coin({ '2023-07-11': '5' }), () => '5')).toEqual(['2023-07-12', '2023-07-10'])
  expect(coin({}, { from: '2023-07-13' }).nextDay(at)).toBeNull()
})

it('asks for a day when it is over', () => {
  const turns = coin({ '2023-07-12': '5', '2023-07-11': '5', '2023-07-10': '5' })
  expect(turns.nextDay(at + 13 * hour)).toBeNull()
  expect(turns.nextDay(at + 14 * hour)).toBe('2023-07-13')
})

it('asks a day later for a day that the source does not know', () => {
  const turns = coin()
  expect(filled(turns, (day) => (day === '2023-07-11' ? null : '5'))).toHaveLength(3)
  expect(turns.nextDay(at + 23 * hour)).toBe('2023-07-13')
  turns.settle('2023-07-13', '5', at + 23 * hour)
  expect(turns.nextDay(at + 24 * hour)).toBe('2023-07-11')
})

it('asks again for a day whose price is far from that of the next, and takes the second', () => {
  const turns = coin({ '2023-07-12': '5' })
  expect(turns.judged('2023-07-11', '50')).toBe('held')
  turns.settle('2023-07-11', '50', at)
  expect([turns.nextDay(at), turns.judged('2023-07-11', '51')]).toEqual(['2023-07-11', 'published'])
  expect(turns.judged('2023-07-11', '500')).toBe('held')
})

it('asks for the present price first, each time its pause is over', () => {
  const turns = coin()
  expect(turns.next(at)).toBe('now')
  turns.settle('now', '5', at)
  expect(turns.next(at)).toBe('2023-07-12')
  expect(turns.next(at + 1_000)).toBe('now')
  expect(coin({}, { hasNow: false }).next(at)).toBe('2023-07-12')
})

it('holds a present price that jumps, and keeps what it has where there is none', () => {
  const turns = coin({ now: '5' })
  expect([turns.judged('now', null), turns.judged('now', '5')]).toEqual(['none', 'unchanged'])
  expect([turns.judged('now', '6'), turns.judged('now', '50')]).toEqual(['published', 'held'])
  turns.settle('now', '50', at)
  expect([turns.judged('now', '50'), turns.judged('now', '5')]).toEqual(['published', 'unchanged'])
  turns.settle('now', '5', at)
  expect(turns.judged('now', '50')).toBe('held')
})
