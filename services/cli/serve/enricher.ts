import { events } from '../../../libs/signals/events.ts'
import type { Run } from '../command.ts'
import { kafkaCheck } from './health.ts'
import { serve, serveHealth } from './serve.ts'
import { openKafka } from './servers/open-kafka.ts'

const facts = ['token-facts', 'instance-facts', 'address-facts', 'coin-prices', 'signature-facts']

/** `foldscan enricher`: the frame of the service that will publish facts from off the chain. */
export const serveEnricher: Run<'enricher'> = (settings, { log }) =>
  serve('enricher', { log }, async (context) => {
    await serveHealth(context, settings)
    const eventLog = await openKafka(context, { settings, topics: facts })
    context.health.add(kafkaCheck(eventLog, 'token-facts'))
    context.log.info(
      { event: events.service.idle },
      'no source of facts is implemented yet: nothing is published',
    )
  })
