import { describe, expect, test } from 'vitest'
import { StoreBehind, StoreDenied, StoreUnavailable } from '../ports/store.ts'
import { RowSink } from '../tables/declare/row-binary.ts'
import { type ReplicaState, whyBehind } from '../tables/replica-states.ts'
import { judged, ReplicaPolls } from './whole-replicas.ts'

const whole: ReplicaState = {
  server: 'a',
  uuid: '1',
  host: 'host-a',
  table: 'transfers_by_token',
  isCut: false,
  partsAway: 0,
  logNext: 5,
  logNewest: 4,
  partsLost: 0,
  uptime: 3_600,
}

describe('a replica (decision 72)', () => {
  test('that has copied and fetched all is whole', () => expect(whyBehind(whole, false)).toBeNull())

  test.each([
    ['has parts to fetch', { partsAway: 1 }],
    ['has not copied the newest entry of the log', { logNext: 4 }],
    ['is new, while others have a log', { logNext: 0, logNewest: 0 }],
    ['has lost Keeper', { isCut: true }],
    ['has just started, perhaps with another disk', { uptime: 3 }],
  ])('that %s is not', (_, lack) =>
    expect(whyBehind({ ...whole, ...lack }, false)).toEqual(expect.any(String)),
  )

  test('of a table that nothing was written to is whole', () => {
    const empty = ['a', 'b'].map((server) => ({ ...whole, server, logNext: 0, logNewest: 0 }))
    expect(judged(empty).whole).toEqual(new Map([['transfers_by_token', ['a/1', 'b/1']]]))
    const [one] = empty
    const written = judged([...(one ? [one] : []), { ...whole, server: 'b' }])
    expect(written.whole).toEqual(new Map([['transfers_by_token', ['b/1']]]))
  })

  test('counts for each table by itself, whatever it lacks of others', () => {
    const filling = { ...whole, server: 'b', uuid: '2', partsAway: 9 }
    const progress = { ...whole, server: 'b', uuid: '3', table: 'progress' }
    const { whole: found, behind } = judged([whole, filling, progress])
    expect([...found]).toEqual([
      ['transfers_by_token', ['a/1']],
      ['progress', ['b/3']],
    ])
    expect(behind).toEqual(['transfers_by_token on host-a: 9 parts are to be fetched'])
  })

  test('that lost parts everywhere is reported', () =>
    expect(judged([whole, { ...whole, partsLost: 2 }]).partsLost).toBe(2))
})

/** A server whose answers, or failures, come one after the other; time by hand. */
function polled(answers: readonly (readonly ReplicaState[] | Error)[], takesMs = 0) {
  const asked: string[] = []
  const left = [...answers]
  const time = { now: 0, mark: 0 }
  const polls = new ReplicaPolls({
    store: {
      async query(sql) {
        asked.push(sql.includes('clusterAllReplicas') ? 'all' : 'one')
        const answer = left.shift() ?? []
        time.now += takesMs
        if (answer instanceof Error) throw answer
        return encoded(answer)
      },
    },
    database: 'foldscan',
    cluster: 'main',
    mark: () => time.mark,
    now: () => time.now,
    limits: { pollEveryMs: null, pollGapMs: 0, validMs: 4_000 },
  })
  return { polls, asked, time }
}

function encoded(states: readonly ReplicaState[]): Buffer {
  const sink = new RowSink()
  for (const one of states) {
    for (const text of [one.server, one.uuid, one.host, one.table]) sink.text(text)
    sink.uint8(one.isCut ? 1 : 0)
    const { partsAway, logNext, logNewest, partsLost, uptime } = one
    for (const count of [partsAway, logNext, logNewest, partsLost, uptime]) sink.uint64(count)
  }
  return Buffer.from(sink.bytes())
}

describe('the states of replicas', () => {
  const any = () => true

  test('are asked once for queries at one time', async () => {
    const { polls, asked } = polled([[whole], [whole]])
    await Promise.all([polls.known(any), polls.known(any), polls.known(any)])
    await polls.known(any)
    expect(asked).toEqual(['all'])
  })

  test('are asked again after an announcement, as an earlier answer may lack its rows', async () => {
    const { polls, asked, time } = polled([[whole], [{ ...whole, partsAway: 1 }]])
    await polls.known(any)
    time.mark = 7
    const { whole: found } = await polls.known(({ mark }) => mark >= 7)
    expect(found.size).toBe(0)
    expect(asked.length).toBe(2)
  })

  test('are not used once they are old: unknown is not whole', async () => {
    const { polls, time } = polled([[whole], new StoreUnavailable('a'), new StoreUnavailable('b')])
    await polls.known(any)
    time.now = 5_000
    await expect(polls.known(any)).rejects.toThrow(StoreUnavailable)
  })

  test('that come too late are not used', async () => {
    const { polls } = polled([[whole]], 5_000)
    await expect(polls.known(any)).rejects.toThrow(StoreBehind)
  })

  test('are those of one server where the others cannot be asked', async () => {
    const { polls, asked } = polled([new StoreUnavailable('one hangs'), [whole]])
    const { whole: found, behind } = await polls.known(any)
    expect(found.size).toBe(1)
    expect(behind).toEqual(['only one server was polled: one hangs'])
    expect(asked).toEqual(['all', 'one'])
  })

  test('are not waited for longer than their time, nor after a stop', async () => {
    const signals: AbortSignal[] = []
    const ended = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => {
        if (signal?.aborted) reject(new StoreUnavailable('stopped'))
        signal?.addEventListener('abort', () => reject(new StoreUnavailable('late')))
      })
    const polls = new ReplicaPolls({
      store: {
        async query(_sql, _parameters, { signal } = {}) {
          if (signal) signals.push(signal)
          return await ended(signal)
        },
      },
      ...{ database: 'foldscan', cluster: 'main', mark: () => 0 },
      limits: { pollEveryMs: null, pollGapMs: 0, pollTimeoutMs: 5 },
    })
    await expect(polls.known(any)).rejects.toThrow('late')
    expect(signals.map(({ reason }) => reason.name)).toEqual(['TimeoutError', 'TimeoutError'])
    polls.stop()
    await expect(polls.known(any)).rejects.toThrow('stopped')
  })

  test('end with the error of a user who may not read them', async () => {
    const { polls, asked } = polled([new StoreDenied('rights', 'no')])
    await expect(polls.known(any)).rejects.toThrow(StoreDenied)
    expect(asked).toEqual(['all'])
  })
})
