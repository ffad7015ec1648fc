import { expect, it } from 'vitest'
import { CoinTurns, utcDay } from './coin-turns.ts'

const [today, tomorrow] = ['2023-07-13', '2023-07-14']
const options = { jumpFactor: 2, from: '2023-07-10', hasNow: true, everyMs: 10, absentMs: 100 }
const coin = (known: Record<string, string> = {}, more: Partial<typeof options> = {}) =>
  new CoinTurns(new Map(Object.entries(known)), { ...options, ...more })
const all = { '2023-07-12': '5', '2023-07-11': '5', '2023-07-10': '5' }

function filled(turns: CoinTurns, price: (day: string) => string | null): string[] {
  const asked: string[] = []
  const next = () => turns.nextDay(0, today)
  for (let day = next(); day !== null && asked.length < 10; day = next()) {
    asked.push(day)
    turns.settle(day, price(day), 0)
  }
  return asked
}

it('asks for the days before today that are not known, the newest first', () => {
  expect(filled(coin(), () => '5')).toEqual(['2023-07-12', '2023-07-11', '2023-07-10'])
  expect(filled(coin({ '2023-07-11': '5' }), () => '5')).toEqual(['2023-07-12', '2023-07-10'])
  expect(coin({}, { from: today }).nextDay(0, today)).toBeNull()
})

it('asks for a day when it is over', () => {
  const turns = coin(all)
  expect([turns.nextDay(0, today), turns.nextDay(0, tomorrow)]).toEqual([null, today])
  expect(utcDay(Date.parse('2023-07-13T23:59:59Z'))).toBe(today)
})

it.each([
  ['the source does not know', (turns: CoinTurns, day: string) => turns.settle(day, null, 0), 100],
  ['the source failed at', (turns: CoinTurns, day: string) => turns.postpone(day, 0), 10],
])('asks later for a day that %s, and for older ones meanwhile', (_, end, after) => {
  const turns = coin()
  end(turns, '2023-07-12')
  expect(turns.nextDay(0, today)).toBe('2023-07-11')
  expect([turns.nextDay(after - 1, today), turns.nextDay(after, today)]).toEqual([
    '2023-07-11',
    '2023-07-12',
  ])
})

it.each<[string, Record<string, string>, string]>([
  ['the next day', { '2023-07-12': '5' }, '2023-07-11'],
  ['the day before', { '2023-07-10': '5' }, '2023-07-11'],
  ['the present price, of yesterday', { now: '5' }, '2023-07-12'],
])('holds a price that is far from that of %s until a second one is like it', (_, known, day) => {
  const turns = coin(known)
  turns.nextDay(0, today)
  expect(turns.judged(day, '50')).toBe('held')
  turns.settle(day, '50', 0)
  expect(turns.nextDay(0, today)).not.toBe(day)
  expect([turns.judged(day, '51'), turns.judged(day, '500')]).toEqual(['published', 'held'])
})

it('compares no old day with the present price', () => {
  const turns = coin({ now: '5' })
  turns.nextDay(0, today)
  expect(turns.judged('2023-07-10', '5000')).toBe('published')
})

it('asks for the present price each time its pause is over', () => {
  const turns = coin()
  expect(turns.isNowDue(0)).toBe(true)
  turns.settle('now', '5', 0)
  expect([turns.isNowDue(9), turns.isNowDue(10)]).toEqual([false, true])
  turns.postpone('now', 10)
  expect([turns.isNowDue(19), turns.isNowDue(20)]).toEqual([false, true])
  expect(coin({}, { hasNow: false }).isNowDue(0)).toBe(false)
})

it('holds a present price that jumps, and keeps what it has where there is none', () => {
  const turns = coin({ now: '5' })
  expect([turns.judged('now', null), turns.judged('now', '5')]).toEqual(['none', 'unchanged'])
  expect([turns.judged('now', '6'), turns.judged('now', '50')]).toEqual(['published', 'held'])
  turns.settle('now', '50', 0)
  expect([turns.judged('now', '50'), turns.judged('now', '5')]).toEqual(['published', 'unchanged'])
  turns.settle('now', '5', 0)
  expect(turns.judged('now', '50')).toBe('held')
})
