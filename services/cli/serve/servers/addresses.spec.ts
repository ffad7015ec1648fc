import { describe, expect, it } from 'vitest'
import { StoreDenied } from '../../../../libs/ports/store.ts'
import { readSettings } from '../../../../libs/settings/read-settings.ts'
import { accessError, readingAddress, writingAddress } from './clickhouse-access.ts'
import { kafkaConnection } from './open-kafka.ts'

const password = 'hunter2'
const environment = {
  FOLDSCAN_CLICKHOUSE_PASSWORD: password,
  FOLDSCAN_CLICKHOUSE_READ_PASSWORD: 'reader3',
}
const ofProjector = (flags: Record<string, string> = {}, more: Record<string, string> = {}) =>
  readSettings('projector', {
    flags: { group: 'state', ...flags },
    environment: { ...environment, ...more },
  })
const ofApi = (flags: Record<string, string> = {}) => readSettings('api', { flags, environment })

describe('the address of ClickHouse', () => {
  it('is that of a writer for those who write, and of a reader for the api', () => {
    expect(writingAddress(ofProjector())).toMatchObject({ username: 'default', password })
    expect(readingAddress(ofApi({ clickhouseReadUser: 'reader' }))).toMatchObject({
      username: 'reader',
      password: 'reader3',
    })
  })

  it('asks for a quorum where there is a cluster', () => {
    expect(writingAddress(ofProjector()).isCluster).toBe(false)
    expect(writingAddress(ofProjector({ clickhouseCluster: 'main' })).isCluster).toBe(true)
  })

  it.each(['http://user:hunter2@host', 'tcp://host:9000', 'host:8123', 'http://host/?x=1'])(
    'is refused with more or less in it: %s',
    (clickhouseUrl) => {
      const address = () => readingAddress(ofApi({ clickhouseUrl }))
      expect(address).toThrow('not of the form http://host:port')
      expect(address).not.toThrow(password)
    },
  )

  it('is refused with a CA file that is none', () => {
    const of = (clickhouseCaFile: string) => () => readingAddress(ofApi({ clickhouseCaFile }))
    expect(of('/no/such/file')).toThrow('The file of --clickhouse-ca-file cannot be read')
    expect(of('package.json')).toThrow('holds no certificate in PEM')
  })
})

describe('the sentence about a denial', () => {
  const address = readingAddress(ofApi())

  it('names the settings of the user that was meant', () => {
    const { message } = accessError(new StoreDenied('credentials', 'x'), address)
    expect(message).toContain('FOLDSCAN_CLICKHOUSE_READ_USER')
    expect(message).toContain('FOLDSCAN_CLICKHOUSE_READ_PASSWORD_FILE')
    const writer = accessError(new StoreDenied('credentials', 'x'), writingAddress(ofProjector()))
    expect(writer.message).toContain('check FOLDSCAN_CLICKHOUSE_USER and')
    expect(writer.message).not.toContain(password)
  })

  it('contains the message of the server about rights and certificates', () => {
    const rights = accessError(new StoreDenied('rights', 'grant SELECT'), address)
    expect(rights.message).toMatch(/may not do what is needed.*grant SELECT\.$/)
    const certificate = accessError(new StoreDenied('certificate', 'self-signed'), address)
    expect(certificate.message).toMatch(/FOLDSCAN_CLICKHOUSE_CA_FILE.*self-signed\.$/)
  })
})

describe('the place of Kafka', () => {
  it('has no credentials and no TLS by default', () => {
    expect(kafkaConnection(ofProjector())).toEqual({
      brokers: ['127.0.0.1:9092'],
      clientId: 'foldscan',
      tls: null,
      sasl: null,
    })
  })

  it('has credentials by a mechanism', () => {
    const flags = { kafkaSaslMechanism: 'scram-sha-512', kafkaUser: 'u', kafkaTls: 'true' }
    const place = kafkaConnection(ofProjector(flags, { FOLDSCAN_KAFKA_PASSWORD: password }))
    expect(place.sasl).toEqual({ mechanism: 'scram-sha-512', username: 'u', password })
    expect(place.tls).toEqual({ ca: null })
  })

  it.each([
    [{ kafkaUser: 'u' }, 'no effect without --kafka-sasl-mechanism'],
    [{ kafkaSaslMechanism: 'plain', kafkaUser: 'u' }, 'needs FOLDSCAN_KAFKA_USER and'],
    [{ kafkaCaFile: 'ca.pem' }, 'no effect without --kafka-tls'],
    [{ kafkaBrokers: 'one' }, "not of the form host:port: 'one'."],
    [{ kafkaBrokers: 'http://one:9092' }, "not of the form host:port: 'http://one:9092'."],
    [{ kafkaBrokers: 'me:hunter2@one:9092' }, "not of the form host:port: '…@one:9092'."],
  ])('is refused where settings contradict each other: %o', (flags, sentence) => {
    expect(() => kafkaConnection(ofProjector(flags))).toThrow(sentence)
  })
})
