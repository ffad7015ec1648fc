import { events } from '../../../libs/signals/events.ts'
import type { Run } from '../command.ts'
import { kafkaCheck } from './away.ts'
import { openKafka } from './open-kafka.ts'
import { serve, serveHealth } from './serve.ts'

const facts = ['token-facts', 'instance-facts', 'address-facts', 'coin-prices', 'signature-facts']

/** `foldscan enricher`: the frame of the service that will publish facts from off the chain. */
export const serveEnricher: Run<'enricher'> = (settings, { log: signals }) =>
  serve('enricher', { log: signals }, async (bed) => {
    await serveHealth(bed, settings)
    const log = await openKafka(bed, { settings, topics: facts })
    bed.health.add(kafkaCheck(log, 'token-facts'))
    bed.log.info(
      { event: events.service.idle },
      'no source of facts is built yet: it publishes nothing',
    )
  })
