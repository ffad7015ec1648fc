import { describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { readSettings } from '../../../libs/settings/read-settings.ts'
import { confirmChain } from './chain-check.ts'

async function confirmed(
  sourceChainId: number,
  flags: Record<string, string>,
  keys: string[] = [],
) {
  const eventLog = memoryEventLog()
  await eventLog.append(
    'blocks',
    keys.map((key) => ({ key, value: Buffer.from('{}') })),
  )
  const settings = readSettings('ingestor', {
    flags: { source: 'demo', ...flags },
    environment: {},
  })
  return confirmChain({ settings, sourceChainId, eventLog })
}

describe('before anything is published, a source', () => {
  it('is refused where the setting names another chain', async () => {
    await expect(confirmed(31_337, { chainId: '1' })).rejects.toThrow(
      'The source is of chain 31337, --chain-id is of chain 1: check --source',
    )
  })

  it('is refused where topic blocks has messages of another chain', async () => {
    const flags = { chainId: '31337', kafkaTopicPrefix: 'prod.' }
    await expect(confirmed(31_337, flags, ['1', '31337'])).rejects.toThrow(
      'topic prod.blocks is of chain 1: check --source, or choose another --kafka-topic-prefix.',
    )
  })
})
