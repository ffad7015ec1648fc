import type { Random } from '../queries/random.ts'
import { firstOnes, lateOnes, type ServiceName } from './deployment.ts'
import {
  logDirectoryFull,
  redisFlushed,
  serverKilled,
  serverSlow,
  serverStopped,
} from './faults-of-servers.ts'
import {
  clockMoved,
  killed,
  paused,
  rebalanced,
  repeated,
  takenOver,
  volumeLost,
} from './faults-of-services.ts'
import type { LifePlan } from './life.ts'
import type { Fault } from './scene.ts'

/** At random moments: 5 of ClickHouse, 130 in one life, 14 in each of 5 replays. */
const ofWhole = { killsOfLive: 130, killsOfReplay: 14, replays: 5, rebalanceMs: 60_000 }
/** Longer than the session of a member of a group: its place is given away meanwhile. */
const longPauseMs = 16_000
const pauseMs = 4_000

const stopped: readonly ServiceName[] = ['ledger', 'state', 'ingestor', 'second api']
const lost: readonly ServiceName[] = ['late ledger', 'late state', 'state', 'ingestor']
const servers = ['kafka', 'clickhouse', 'redis'] as const

/** Mostly services, as they are more; late ones only where they run. */
function anyKill(random: Random, areLateThere: boolean): Fault {
  if (random.below(6) === 0) return serverKilled(random.oneOf(servers))
  const running: readonly ServiceName[] = areLateThere ? [...firstOnes, ...lateOnes] : firstOnes
  return killed(random.oneOf(running))
}

const kills = (random: Random, count: number): Fault[] =>
  Array.from({ length: count }, (_, at) => anyKill(random, at >= Math.floor(count / 3)))

/** A minute and a half: some kills, and one of most other things. */
export function shortLives(random: Random): readonly LifePlan[] {
  const running = [...firstOnes]
  const faults = [
    ...Array.from({ length: 4 }, () => killed(random.oneOf(running))),
    serverKilled('clickhouse'),
    killed('ledger'),
    redisFlushed,
    paused('state', pauseMs),
    killed('ingestor'),
    serverKilled('kafka'),
    logDirectoryFull,
    repeated,
    killed('late state'),
    takenOver,
    rebalanced(8_000),
    serverSlow('redis', 1_000),
    killed('first api'),
    clockMoved(['ingestor']),
    serverKilled('redis'),
  ]
  return [{ name: 'a short life', isReplay: false, faults, faultsBetweenRests: 20 }]
}

/** All of it. */
export function wholeLives(random: Random): readonly LifePlan[] {
  const { killsOfLive, killsOfReplay, replays, rebalanceMs } = ofWhole
  const everything: readonly Fault[] = [
    ...stopped.map((name) => paused(name, longPauseMs)),
    ...servers.map(serverStopped),
    ...servers.map((name) => serverSlow(name, pauseMs)),
    redisFlushed,
    repeated,
    ...lost.map(volumeLost),
    ...Array.from({ length: 5 }, () => serverKilled('clickhouse')),
    logDirectoryFull,
    takenOver,
    repeated,
    takenOver,
    rebalanced(rebalanceMs),
    clockMoved([...firstOnes, ...lateOnes]),
  ]
  const following = kills(random, killsOfLive)
  return [
    { name: 'all trouble', isReplay: false, faults: everything, faultsBetweenRests: 6 },
    { name: 'killed following', isReplay: false, faults: following, faultsBetweenRests: 30 },
    ...Array.from({ length: replays }, (_, at) => ({
      name: `killed replay ${at + 1}`,
      isReplay: true,
      faults: kills(random, killsOfReplay),
      faultsBetweenRests: killsOfReplay + 1,
    })),
  ]
}
