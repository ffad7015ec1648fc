/** Names and values of a broker's properties file. */
export type KafkaSettings = Readonly<Record<string, string | number | boolean>>

export interface KafkaPlace {
  /** Where it listens; it is found at 127.0.0.1 in any case. */
  readonly host: string
  /** Listeners without a password, with one, and for the controller. */
  readonly ports: readonly number[]
  readonly password: string
  readonly logFolder: string
}

export const kafkaUsername = 'foldscan'

/** The properties file of a single broker, small and quick, otherwise as in production. */
export function kafkaProperties(place: KafkaPlace, settings: KafkaSettings): string {
  const all = { ...listeners(place), ...single, ...quick, ...settings }
  return Object.entries(all)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

function listeners({ host, ports, password, logFolder }: KafkaPlace): KafkaSettings {
  const [open, sasl, controller] = ports
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required'
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: [
      `OPEN://${host}:${open}`,
      `SASL://${host}:${sasl}`,
      `CONTROLLER://${host}:${controller}`,
    ].join(','),
    'advertised.listeners': `OPEN://127.0.0.1:${open},SASL://127.0.0.1:${sasl}`,
    'listener.security.protocol.map': 'OPEN:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'OPEN',
    'controller.listener.names': 'CONTROLLER',
    'sasl.enabled.mechanisms': 'PLAIN',
    'listener.name.sasl.plain.sasl.jaas.config': `${login} user_${kafkaUsername}="${password}";`,
    'log.dirs': logFolder,
  }
}

/** A single broker without replicas. Topics are not created automatically, as in production. */
const single: KafkaSettings = {
  'auto.create.topics.enable': false,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 1,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 1,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
}

/**
 * Members come and go at once. A killed broker comes back once its last session is over: it loads
 * the groups as the leader that it was, is fenced when that session ends, and loads them again. The
 * group coordinator does not survive two loads at once ("out of sync with the underlying log"), so
 * the session has to be much longer than a load.
 */
const quick: KafkaSettings = {
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 200,
  'broker.session.timeout.ms': 6_000,
  'broker.heartbeat.interval.ms': 500,
}
