import { expect, it } from 'vitest'
import { groupVersions } from '../../libs/tables/declare/group-versions.ts'
import { describeWithHelm, rendered } from './rendered.ts'

const wrong: readonly [string, unknown, RegExp][] = [
  [
    'no brokers',
    { settings: { kafkaBrokers: null } },
    /'\/settings': missing property 'kafkaBrokers'/,
  ],
  [
    'an empty list of brokers',
    { settings: { kafkaBrokers: [] } },
    /kafkaBrokers': minItems: got 0/,
  ],
  [
    'a broker without a port',
    { settings: { kafkaBrokers: ['kafka'] } },
    /kafkaBrokers\/0': 'kafka' does not match/,
  ],
  [
    'no address of ClickHouse',
    { settings: { clickhouseUrl: null } },
    /missing property 'clickhouseUrl'/,
  ],
  [
    'a password in an address',
    { settings: { clickhouseUrl: 'http://u:p@clickhouse:8123' } },
    /clickhouseUrl'.* does not match/,
  ],
  [
    'a key in the URL of the node',
    { settings: { source: 'wss://node.example/v3/key' } },
    /source'.* does not match/,
  ],
  [
    'a password in the URL of Redis',
    { settings: { redisUrl: 'redis://:p@redis:6379' } },
    /redisUrl'.* does not match/,
  ],
  [
    'an unknown threshold of an alert',
    { prometheusRule: { thresholds: { outdated: 1 } } },
    /additional properties 'outdated' not allowed/,
  ],
  [
    'no threshold of an alert',
    { prometheusRule: { thresholds: { restarts: null } } },
    /missing property 'restarts'/,
  ],
  [
    'an address of pages without a slash at its end',
    { prometheusRule: { runbookUrl: 'https://git.example/main' } },
    /runbookUrl'.* does not match/,
  ],
  [
    'processes of one pod, which replicas do',
    { api: { workers: 2 } },
    /additional properties 'workers' not allowed/,
  ],
  [
    'a version of a group that the image folds itself',
    {
      projector: {
        previous: [{ group: 'state', version: groupVersions.state, image: { tag: '1' } }],
      },
    },
    /projector.previous has version \d+ of state, which this release folds itself/,
  ],
  [
    'one volume for two versions of a group',
    {
      projector: {
        previous: [{ group: 'state', version: groupVersions.state + 1, image: { tag: '1' } }],
        groups: { state: { volume: { existingClaim: 'data' } } },
      },
    },
    /two versions of state cannot have the volume projector.groups.state.volume.existingClaim/,
  ],
  ['no chain', { settings: { chainId: null } }, /missing property 'chainId'/],
  ['chain 0', { settings: { chainId: 0 } }, /chainId': minimum: got 0, want 1/],
  [
    'an unknown setting',
    { settings: { kafkaBroker: 'kafka:9092' } },
    /additional properties 'kafkaBroker' not allowed/,
  ],
  [
    'a setting of another service',
    { api: { settings: { source: 'http://geth' } } },
    /'\/api\/settings': additional properties 'source'/,
  ],
  [
    'an unknown log level',
    { settings: { logLevel: 'loud' } },
    /logLevel': value must be one of 'debug', 'info'/,
  ],
  [
    'a password as a value',
    { settings: { kafkaPassword: 'x' } },
    /additional properties 'kafkaPassword' not allowed/,
  ],
  [
    'a secret as a value',
    { secrets: { clickhousePassword: 'hunter2' } },
    /clickhousePassword': got string, want object/,
  ],
  [
    'a secret without a key',
    { secrets: { kafkaPassword: { existingSecret: 'kafka' } } },
    /kafkaPassword': missing property 'key'/,
  ],
  [
    'no password of ClickHouse',
    { secrets: { clickhousePassword: null } },
    /secrets\.clickhousePassword is missing: name the key/,
  ],
  ['no node', { secrets: { source: null } }, /The ingestor has no node: set secrets\.source/],
  [
    'no node of the enricher, where the ingestor has one of its own',
    {
      secrets: { source: null },
      ingestor: { settings: { source: 'http://geth:8545' } },
      enricher: { enabled: true },
    },
    /The enricher has no node: set .* or enricher\.settings\.source/,
  ],
  [
    'SASL without a user',
    { settings: { kafkaSaslMechanism: 'plain' } },
    /kafkaSaslMechanism plain needs settings\.kafkaUser and secrets\.kafkaPassword/,
  ],
  [
    'a certificate without TLS',
    { certificates: { kafkaCaFile: { existingSecret: 'ca', key: 'ca.crt' } } },
    /kafkaCaFile has no effect without settings\.kafkaTls/,
  ],
  [
    'a certificate of nowhere',
    { certificates: { redisCaFile: { key: 'ca.crt' } } },
    /redisCaFile needs either existingSecret or existingConfigMap/,
  ],
  [
    'a volume of several pods',
    { ingestor: { volume: { accessMode: 'ReadWriteMany' } } },
    /accessMode': value must be one of 'ReadWriteOncePod', 'ReadWriteOnce'/,
  ],
  [
    'two processes of a group',
    { projector: { groups: { state: { replicas: 2 } } } },
    /groups\/state\/replicas': maximum: got 2, want 1/,
  ],
  ['two ingestors', { ingestor: { replicas: 2 } }, /ingestor\/replicas': maximum: got 2, want 1/],
  [
    'two groups on one volume',
    {
      projector: {
        groups: {
          state: { volume: { existingClaim: 'a' } },
          ledger: { volume: { existingClaim: 'a' } },
        },
      },
    },
    /projector\.groups\.ledger and projector\.groups\.state have the same volume a/,
  ],
  [
    'the volume of the ingestor for the enricher',
    {
      ingestor: { volume: { existingClaim: 'a' } },
      enricher: { enabled: true, volume: { existingClaim: 'a' } },
    },
    /enricher and ingestor have the same volume a/,
  ],
  [
    'gateways in one text',
    { settings: { ipfsGateways: 'https://a.example/ipfs/,https://b.example/ipfs/' } },
    /ipfsGateways': got string, want array/,
  ],
  [
    'an unknown group',
    { projector: { groups: { logs: {} } } },
    /additional properties 'logs' not allowed/,
  ],
  [
    'a size without a unit that exists',
    { ingestor: { volume: { size: '10GB' } } },
    /volume\/size': '10GB' does not match/,
  ],
  ['replicas as text', { api: { replicas: '3' } }, /api\/replicas': got string, want integer/],
  [
    'bounds of autoscaling the wrong way',
    { api: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } } },
    /minReplicas 5 is above maxReplicas 2/,
  ],
  [
    'a budget that lets no pod go',
    { api: { podDisruptionBudget: { maxUnavailable: 0 } } },
    /maxUnavailable/,
  ],
  [
    'a digest that is none',
    { image: { digest: 'latest' } },
    /image\/digest': 'latest' does not match/,
  ],
  [
    'a route without a gateway',
    { httpRoute: { enabled: true } },
    /httpRoute\.parentRefs is empty: name the Gateway/,
  ],
  [
    'replicas of ClickHouse without a keeper',
    { altinity: { enabled: true, replicas: 2 } },
    /altinity\.replicas 2 needs altinity\.keeperHosts/,
  ],
  [
    'two replicas of ClickHouse, of which none may be lost',
    { altinity: { enabled: true, replicas: 2, keeperHosts: ['keeper:9181'] } },
    /altinity\.replicas 2: inserts wait for a majority/,
  ],
  [
    "a user beside Strimzi's",
    { strimzi: { enabled: true }, settings: { kafkaUser: 'x' } },
    /strimzi\.enabled makes a Kafka user of its own/,
  ],
  ['a misspelled service', { ingester: {} }, /additional properties 'ingester' not allowed/],
]

describeWithHelm('the chart refuses', (tools) => {
  it.each(wrong)('%s', (_, values, sentence) => {
    const { objects, stderr } = rendered(tools, { values })
    expect(objects).toEqual([])
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toContain('hunter2')
  })
})
