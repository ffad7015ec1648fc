import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { StackAddresses } from '../../deploy/stack/environment.ts'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import type { KafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import type { Store } from '../../libs/ports/store.ts'
import { events } from '../../libs/signals/events.ts'
import { groupId } from '../../libs/tables/declare/group-versions.ts'
import { consumerGroup } from '../../services/cli/serve/servers/open-kafka.ts'
import { ownServices } from '../services/own-services.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import type { OwnPlace } from '../support/cluster.ts'
import { logAt } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { freshFolder } from '../up/running.ts'
import { type ChainNode, chainId } from './chain-node.ts'
import { KeptService, untilReached } from './kept-service.ts'
import { visit } from './outside-member.ts'
import { isUpTo, isWithFacts, isWithHead } from './reached.ts'

/**
 * What runs of it. Late second ones have volumes of their own; `late ledger` folds beside the first
 * in a group of Kafka of its own, `late state` is in the group of the first and stands by.
 */
const forms = {
  ingestor: { command: 'ingestor', group: null },
  ledger: { command: 'projector', group: 'ledger' },
  state: { command: 'projector', group: 'state' },
  dimensions: { command: 'projector', group: 'dimensions' },
  'late ingestor': { command: 'ingestor', group: null },
  'late ledger': { command: 'projector', group: 'ledger', groupPrefix: 'late' },
  'late state': { command: 'projector', group: 'state' },
  'first api': { command: 'api', group: null },
  'second api': { command: 'api', group: null },
} as const
export type ServiceName = keyof typeof forms
export const apis = ['first api', 'second api'] as const satisfies readonly ServiceName[]
export const lateOnes = [
  'late ingestor',
  'late ledger',
  'late state',
] as const satisfies readonly ServiceName[]
export const firstOnes = [
  'ingestor',
  'ledger',
  'state',
  'dimensions',
  ...apis,
] as const satisfies readonly ServiceName[]
/** Groups that read topic `blocks`. */
export const blocksGroups = ['ledger', 'state'] as const
export type BlocksGroupName = (typeof blocksGroups)[number]
/** Those who share a group of Kafka: one of them reads, the others stand by. */
const sharing: Readonly<Record<string, readonly ServiceName[]>> = {
  ledger: ['ledger'],
  'late ledger': ['late ledger'],
  state: ['state', 'late state'],
}

/** All services of one chain, kept alive, with names of their own on the servers. */
export interface Deployment {
  readonly place: OwnPlace
  readonly services: ReadonlyMap<ServiceName, KeptService>
  readonly service: (name: ServiceName) => KeptService
  /** @param environment of these alone, in all their lives */
  readonly start: (
    names: readonly ServiceName[],
    environment?: Readonly<Record<string, string>>,
  ) => void
  /** One more api, with empty caches and no Redis. */
  readonly freshApi: () => KeptService
  /** Of a client of its own. */
  readonly eventLog: KafkaEventLog
  readonly store: Store
  /** Waits until all that run have the node's chain and the facts of that turn, and say so. */
  readonly caughtUp: (turn: number) => Promise<void>
  /** Waits until one of the two of group `state` reads, and the other stands by. */
  readonly readerAndOther: () => Promise<readonly [KeptService, KeptService]>
  /** Waits until this one reads, and has written all that the log holds. */
  readonly takesOver: (one: KeptService) => Promise<void>
  /** The environment of all lives from now on, beside what they need. */
  readonly disturb: (environment: Readonly<Record<string, string>>) => void
  /** Kills a projector, and takes away all that it kept. */
  readonly loseVolume: (name: ServiceName) => Promise<void>
  /** One more member of that group joins and leaves. @throws if the group does not take it */
  readonly visit: (group: BlocksGroupName) => Promise<void>
  /** How often a service of ours was given the reading in that group, first and anew. */
  readonly givenReading: (group: BlocksGroupName) => number
  /** Ends all services, and removes what they wrote. @returns complaints of their ends */
  readonly drop: () => Promise<readonly string[]>
}

const catchUpMaxMs = 240_000

/** Its last state within its consumer group, in this life; null before it has joined. */
const placeOf = ({ running }: KeptService): string | null =>
  running.lines.findLast(
    ({ event }) => event === events.log.joined || event === events.log.standingBy,
  )?.event ?? null

export async function deployment(
  servers: StackAddresses,
  place: OwnPlace,
  node: ChainNode,
): Promise<Deployment> {
  const own = ownServices(servers, place)
  const { code, reason } = await own.run('migrate', { 'chain-id': `${chainId}` })
  if (code !== 0) throw new Error(`the migration failed: ${reason}`)
  await own.createTopics()
  const services = new Map<ServiceName, KeptService>()
  const volumes = new Map<ServiceName, string>()
  let disturbance: Readonly<Record<string, string>> = {}
  const { brokers } = servers.kafka
  const eventLog = logAt(brokers, { topicPrefix: place.topicPrefix })
  const store = clickhouseStore({ ...servers.clickhouse, database: place.database })

  const prefixes = { kafkaGroupPrefix: place.topicPrefix, kafkaTopicPrefix: place.topicPrefix }
  const groupIdOf = (group: BlocksGroupName) => consumerGroup(prefixes, groupId(group), 'blocks')
  const flagsOf = (name: ServiceName): Record<string, string> => {
    const form = forms[name]
    const { command, group } = form
    const volume = { 'data-dir': volumes.get(name) ?? '' }
    if (command === 'api') return {}
    if (group === null) return { ...volume, source: node.url }
    const own: Record<string, string> =
      'groupPrefix' in form
        ? { 'kafka-group-prefix': `${place.topicPrefix}${form.groupPrefix}` }
        : {}
    // The assignment is announced to members that want all partitions.
    return { ...volume, group, 'log-level': 'debug', ...own }
  }
  const kept = (name: ServiceName, environment: Readonly<Record<string, string>>) => {
    if (!volumes.has(name)) volumes.set(name, freshFolder())
    const { command } = forms[name]
    const all = () => ({ ...environment, ...disturbance })
    return new KeptService(name, () => own.start(command, flagsOf(name), all()))
  }
  const service = (name: ServiceName) => {
    const found = services.get(name)
    if (found === undefined) throw new Error(`${name} does not run`)
    return found
  }
  const reached = (what: string, name: ServiceName, is: (one: KeptService) => Promise<boolean>) =>
    untilReached(
      services.values(),
      `${name} of ${place.database} ${what}`,
      () => is(service(name)),
      catchUpMaxMs,
    )
  /** Who stands by reads nothing: one of them is enough. */
  const oneAt = async (names: readonly ServiceName[], position: number) => {
    const members = names.flatMap((name) => services.get(name) ?? [])
    const isOneThere = async () =>
      (await Promise.all(members.map((one) => isUpTo(one, position)))).includes(true)
    if (members.length === 0) return
    const what = `one of ${names.join(' and ')} of ${place.database} is at position ${position}`
    await untilReached(members, what, isOneThere, catchUpMaxMs)
  }

  return {
    place,
    services,
    service,
    eventLog,
    store,
    start(names, environment = {}) {
      for (const name of names) services.set(name, kept(name, environment))
    },
    freshApi: () => kept('first api', { FOLDSCAN_REDIS_URL: '' }),
    async caughtUp(turn) {
      const { head } = node
      for (const name of apis) {
        await reached(`shows the facts ${turn}`, name, (one) => isWithFacts(one, turn))
        await reached(`shows block ${head.number}`, name, (one) => isWithHead(one, head))
      }
      const { accepted } = await chainInLog(eventLog)
      const last = accepted.at(-1)?.sequence ?? 0
      for (const names of Object.values(sharing)) await oneAt(names, last)
      for (const one of services.values()) await one.begun()
    },
    async readerAndOther() {
      const members = [service('state'), service('late state')] as const
      const [one, other] = members
      await until(
        `one of group state of ${place.database} reads, the other stands by`,
        () => new Set(members.map(placeOf)).size === 2 && members.every((m) => placeOf(m) !== null),
        catchUpMaxMs,
      )
      return placeOf(one) === events.log.joined ? [one, other] : [other, one]
    },
    async takesOver(one) {
      const what = `${one.name} of ${place.database} has taken over`
      await until(what, () => placeOf(one) === events.log.joined, catchUpMaxMs)
      const { accepted } = await chainInLog(eventLog)
      const last = accepted.at(-1)?.sequence ?? 0
      await until(`${what} up to position ${last}`, () => isUpTo(one, last), catchUpMaxMs)
    },
    disturb(environment) {
      disturbance = environment
    },
    async loseVolume(name) {
      const volume = volumes.get(name) ?? ''
      await service(name).kill(() => rmSync(join(volume), { recursive: true, force: true }))
    },
    visit: (group) =>
      visit({ brokers, topic: `${place.topicPrefix}blocks`, groupId: groupIdOf(group) }),
    givenReading(group) {
      const said = [...services.values()].flatMap(({ lives }) =>
        lives.flatMap(({ lines }) => lines),
      )
      const groupId = groupIdOf(group)
      return said.filter((one) => one.event === events.log.joined && one.groupId === groupId).length
    },
    async drop() {
      const ended = await Promise.all(
        [...services.values()].map(async (one) => ({ name: one.name, ...(await one.stop()) })),
      )
      await Promise.all([eventLog.close(), store.close()])
      await own.drop()
      for (const volume of volumes.values()) rmSync(volume, { recursive: true, force: true })
      return ended
        .filter(({ code }) => code !== 0)
        .map(({ name, code, signal, reason }) => `${name} ended with ${code ?? signal}: ${reason}`)
    },
  }
}
