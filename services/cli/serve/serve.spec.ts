import { describe, expect, it } from 'vitest'
import { LogUnavailable } from '../../../libs/ports/event-log.ts'
import { QuorumLost, StoreUnavailable } from '../../../libs/ports/store.ts'
import { describeFailure } from '../process/failure.ts'
import { nameFailedServer } from './serve.ts'

const said = (error: unknown) => describeFailure(nameFailedServer(error), './.foldscan').sentence

describe('the sentence about a service that a server has ended', () => {
  it('names the server and not the data folder, whatever was full there', () => {
    const full = said(new StoreUnavailable('insert into progress: its disk is full'))
    expect(full).toMatch(
      /^ClickHouse was unavailable for too long: .*disk is full\. .*clickhouse-unavailable\.md\.$/,
    )
    expect(said(new LogUnavailable('asking topic blocks took more than 20000 ms'))).toMatch(
      /^Kafka was unavailable for too long: .*kafka-unavailable\.md\.$/,
    )
  })

  it('names the page of a lost quorum', () =>
    expect(said(new QuorumLost('too few replicas live'))).toMatch(/quorum-lost\.md\.$/))

  it('is that of the error itself where no server is to blame', () => {
    expect(said(new Error('the log holds chain 5'))).toBe('The log holds chain 5.')
  })
})
