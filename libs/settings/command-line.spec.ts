import { expect, it } from 'vitest'
import { commandLine } from './read-settings.ts'

const lag = {
  flags: { kafkaTopicPrefix: 'prod.', watch: 'true', json: 'true' },
  environment: {
    FOLDSCAN_KAFKA_BROKERS: 'one:9092,two:9092',
    FOLDSCAN_KAFKA_TLS: 'true',
    FOLDSCAN_KAFKA_USER: "o'neil",
    FOLDSCAN_KAFKA_PASSWORD: 'hunter2',
    FOLDSCAN_CLICKHOUSE_DATABASE: 'foldscan',
    FOLDSCAN_DATA_DIR: '/var/lib/foldscan',
    FOLDSCAN_FROM: '5',
  },
}

it('is complete: given flags, settings of the environment, and what is still missing', () => {
  expect(commandLine('repair', lag, { from: '371' }).split(' --').sort()).toEqual([
    'data-dir /var/lib/foldscan',
    'from 371',
    'kafka-brokers one:9092,two:9092',
    'kafka-tls',
    'kafka-topic-prefix prod.',
    "kafka-user 'o'\\''neil'",
    'npx foldscan repair',
    'source SOURCE',
  ])
})

it('contains no secret: the environment has it already', () => {
  const source = (url: string) => ({ ...lag.environment, FOLDSCAN_SOURCE: url })
  const withSource = (url: string) => commandLine('repair', { flags: {}, environment: source(url) })
  expect(withSource('wss://node.example/v3/key')).not.toMatch(/--source|key|hunter2/)
  expect(withSource('http://127.0.0.1:8545')).toContain('--source http://127.0.0.1:8545')
})

it('takes no flag that the other command does not have', () => {
  expect(commandLine('dead-letters list', lag)).toContain('--json')
  expect(commandLine('dead-letters list', lag)).not.toMatch(/--watch|--data-dir|--clickhouse/)
})
