import { describe } from 'vitest'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { poisonLaws } from '../../test/support/poison-laws.ts'

describe('poison in a log in memory', () => {
  poisonLaws(async () => {
    const eventLog = memoryEventLog()
    return () => eventLog
  })
})
