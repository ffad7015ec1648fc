import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import pRetry from 'p-retry'
import { LogUnavailable } from '../../ports/event-log.ts'
import type { Log } from '../../signals/log.ts'
import {
  type KafkaAccess,
  type KafkaConnection,
  type KafkaLimits,
  kafkaClient,
  kafkaLimits,
  withCallTimeout,
} from './kafka-client.ts'
import { causesOf, kafkaError, typeOf } from './kafka-error.ts'

/** Settings do not match the brokers; the message names them. Not retriable. */
export class KafkaConfigError extends Error {
  override readonly name = 'KafkaConfigError'
}

/** Attempts: a starting or stopping broker can look misconfigured. */
const checksMax = 3
const betweenChecksMs = 1_000

/**
 * Connects to the brokers, and to each at its advertised address.
 *
 * @throws LogUnavailable while none answers, KafkaConfigError if the settings do not fit them
 */
export async function checkKafka({ place, log, limits }: KafkaAccess): Promise<void> {
  const bounds = { ...kafkaLimits, ...limits }
  const check = () =>
    hello(place, bounds, log).catch(async (error: unknown) => {
      throw await reasonOf(error, place, bounds)
    })
  await pRetry(check, {
    retries: checksMax - 1,
    minTimeout: betweenChecksMs,
    factor: 1,
    shouldRetry: ({ error }) => error instanceof KafkaConfigError,
  })
}

async function hello(place: KafkaConnection, limits: KafkaLimits, log: Log): Promise<void> {
  const admin = kafkaClient(place, { ...limits, requestAttemptsMax: 2 }, log).admin()
  const ask = async () => {
    await admin.connect()
    return admin.describeCluster()
  }
  try {
    const { brokers } = await withCallTimeout(limits.callTimeoutMs, 'connecting to Kafka', ask())
    const looks = brokers.map((broker) => connectionError(broker, limits.connectTimeoutMs))
    const whys = await Promise.all(looks)
    // Some may be down: that is tolerated.
    if (brokers.length > 0 && whys.every((because) => because !== null)) {
      const [broker] = brokers
      throw unreachable(place, `${broker?.host}:${broker?.port}`, whys[0] ?? '')
    }
  } finally {
    admin.disconnect().catch(() => {})
  }
}

const unreachable = ({ brokers }: KafkaConnection, advertised: string, because: string) =>
  new KafkaConfigError(
    `Kafka at ${brokers.join(', ')} answers, and advertises ${advertised}, which cannot be reached ` +
      `from here (${because}): set advertised.listeners of that broker to an address that can`,
  )

async function reasonOf(
  error: unknown,
  place: KafkaConnection,
  limits: KafkaLimits,
): Promise<Error> {
  if (error instanceof KafkaConfigError) return error
  const causes = causesOf(error)
  if (causes.some(({ name }) => name === 'KafkaJSSASLAuthenticationError')) {
    return wrongCredentials(place, causes.at(-1)?.message ?? '')
  }
  const type = typeOf(error)
  if (type !== null && /SASL/.test(type)) return wrongMechanism(place, type)
  const advertised = causes.find((cause) => isOfAnother(cause, place))
  if (advertised !== undefined) return await unreachableNow(advertised, place, limits)
  const isClosed = causes.some(({ name }) => name === 'KafkaJSConnectionClosedError')
  const reason = await whyOfSeeds(place, limits, isClosed)
  if (reason !== null) return reason
  return new LogUnavailable(kafkaError('connecting to Kafka', error).message)
}

/** It failed at an advertised address, not at a bootstrap broker. */
const isOfAnother = (cause: Error, { brokers }: KafkaConnection): boolean =>
  'broker' in cause && typeof cause.broker === 'string' && !brokers.includes(cause.broker)

async function unreachableNow(cause: Error, place: KafkaConnection, limits: KafkaLimits) {
  const advertised = 'broker' in cause ? String(cause.broker) : ''
  const because = await connectionError(hostPortOf(advertised), limits.connectTimeoutMs)
  return unreachable(place, advertised, because ?? cause.message)
}

function wrongCredentials({ brokers, sasl }: KafkaConnection, reason: string): KafkaConfigError {
  const { mechanism, username } = sasl ?? { mechanism: 'none', username: '' }
  return new KafkaConfigError(
    `Kafka at ${brokers.join(', ')} refuses user ${username} by ${mechanism} (${reason}): check ` +
      '--kafka-user, FOLDSCAN_KAFKA_PASSWORD and --kafka-sasl-mechanism',
  )
}

const wrongMechanism = ({ brokers, sasl }: KafkaConnection, type: string): KafkaConfigError =>
  new KafkaConfigError(
    `Kafka at ${brokers.join(', ')} does not take ${sasl?.mechanism ?? 'anonymous'} users there ` +
      `(${type}): check --kafka-sasl-mechanism, or take the port for it`,
  )

/** Probes the bootstrap brokers. @returns null if that does not explain the failure */
async function whyOfSeeds(
  place: KafkaConnection,
  limits: KafkaLimits,
  isClosed: boolean,
): Promise<Error | null> {
  const bounds = { timeoutMs: limits.connectTimeoutMs, ca: place.tls?.ca ?? null }
  const answers = await Promise.all(
    place.brokers.map((broker) => probeAddress(hostPortOf(broker), bounds)),
  )
  const nothing = answers.flatMap((answer) => (answer.kind === 'nothing' ? [answer.because] : []))
  const all = place.brokers.join(', ')
  if (nothing.length === answers.length) {
    return new LogUnavailable(`Kafka at ${all} cannot be reached: ${nothing[0] ?? 'no brokers'}`)
  }
  for (const [at, answer] of answers.entries()) {
    const sentence = misfit(answer, place, isClosed)
    if (sentence !== null) return new KafkaConfigError(`Kafka at ${place.brokers[at]} ${sentence}`)
  }
  return null
}

function misfit(answer: ProbeResult, place: KafkaConnection, isClosed: boolean): string | null {
  if (answer.kind === 'nothing') return null
  if (answer.kind === 'open') {
    if (place.tls !== null) return 'does not use TLS: remove --kafka-tls, or use its TLS port'
    if (place.sasl !== null || !isClosed) return null
    return (
      'closes unauthenticated connections: set --kafka-sasl-mechanism, ' +
      '--kafka-user and FOLDSCAN_KAFKA_PASSWORD, if it is Kafka'
    )
  }
  if (place.tls === null) return 'uses TLS: set --kafka-tls, or use its port without TLS'
  if (answer.distrust === null) return null
  return (
    `has a certificate that is not trusted (${answer.distrust}): set its CA with ` +
    '--kafka-ca-file'
  )
}

/** What listens at an address: nothing (and why), an unencrypted server, or one that uses TLS. */
type ProbeResult =
  | { readonly kind: 'nothing'; readonly because: string }
  | { readonly kind: 'open' }
  | { readonly kind: 'tls'; readonly distrust: string | null }

interface HostPort {
  readonly host: string
  readonly port: number
}

/** @param broker `host:port`, an IPv6 address in brackets */
function hostPortOf(broker: string): HostPort {
  const at = broker.lastIndexOf(':')
  const host = broker.slice(0, at).replace(/^\[|\]$/g, '')
  return { host, port: Number(broker.slice(at + 1)) }
}

/** Sends nothing of Kafka's protocol: it only checks what listens there. */
async function probeAddress(
  address: HostPort,
  { timeoutMs, ca }: { timeoutMs: number; ca: string | null },
): Promise<ProbeResult> {
  const because = await connectionError(address, timeoutMs)
  if (because !== null) return { kind: 'nothing', because }
  return (await tlsAt(address, timeoutMs, ca)) ?? { kind: 'open' }
}

/** @returns null if something listens there */
function connectionError({ host, port }: HostPort, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port })
    const done = (because: string | null) => {
      socket.destroy()
      resolve(because)
    }
    socket.setTimeout(timeoutMs, () => done(`no answer within ${timeoutMs} ms`))
    socket.once('connect', () => done(null))
    socket.once('error', (error: NodeJS.ErrnoException) => done(whyOf(error.code, error.message)))
  })
}

function whyOf(code: string | undefined, message: string): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host is known'
  return message
}

function tlsAt(
  { host, port }: HostPort,
  timeoutMs: number,
  ca: string | null,
): Promise<ProbeResult | null> {
  return new Promise((resolve) => {
    const authority = ca === null ? {} : { ca: [ca] }
    const socket = connectTls({ host, port, ...authority, rejectUnauthorized: false })
    const done = (answering: ProbeResult | null) => {
      socket.destroy()
      resolve(answering)
    }
    socket.setTimeout(timeoutMs, () => done(null))
    socket.once('secureConnect', () => {
      const distrust = socket.authorized ? null : `${socket.authorizationError}`
      done({ kind: 'tls', distrust })
    })
    socket.once('error', () => done(null))
    socket.once('close', () => done(null))
  })
}
