import { random } from '../queries/random.ts'
import { ownPlace } from '../support/cluster.ts'
import type { Calm } from './calm-run.ts'
import { startChainNode } from './chain-node.ts'
import type { Step } from './chain-plan.ts'
import { apis, deployment, firstOnes, lateOnes } from './deployment.ts'
import { differencesFrom, endOrder } from './end-of-life.ts'
import { factsOfEnd, publishFacts, settled } from './facts.ts'
import { pagePaths } from './pages.ts'
import { startReaders } from './readers.ts'
import type { Fault, Scene, Tally } from './scene.ts'
import { addressesOf, mended, type Servers } from './servers.ts'

/** One deployment from its first message to its end, and all that befalls it. */
export interface LifePlan {
  readonly name: string
  /** The whole chain is there from the beginning; else it grows while things go wrong. */
  readonly isReplay: boolean
  readonly faults: readonly Fault[]
  /** Once in a while all comes to rest, and is compared. */
  readonly faultsBetweenRests: number
}

export interface World {
  readonly servers: Servers
  readonly plan: readonly Step[]
  readonly calm: Calm
  readonly seed: number
  readonly tally: Tally
  /** Prints progress. */
  readonly say: (sentence: string) => void
  /** @throws once the whole run has taken longer than it may */
  readonly inTime: () => void
}

/** @returns complaints: what differs from a calm run, and responses that broke the law */
export async function lived(world: World, life: LifePlan): Promise<readonly string[]> {
  const { servers, plan, calm, seed, tally, say, inTime } = world
  inTime()
  const node = await startChainNode(plan)
  const paths = pagePaths(plan)
  const deployed = await deployment(addressesOf(servers.stack), ownPlace(), node)
  if (life.isReplay) node.toLast()
  let turn = 0
  const tell = async () => {
    node.next()
    turn += 1
    await publishFacts(deployed.eventLog, turn)
    return turn
  }
  const scene: Scene = { ...servers, random: random(seed), node, deployed, tell, tally, say }
  deployed.start(firstOnes)
  const readers = startReaders(
    apis.map((name) => deployed.service(name)),
    paths,
    // Of their own: how often they come must not move the moments of the faults.
    random(seed + 1),
  )
  const complaints: string[] = []
  try {
    const rest = async () => {
      turn += 1
      await settled(deployed, turn, () => {
        if (!node.next()) throw new Error('the plan is too short for this life')
      })
      complaints.push(...(await differencesFrom(scene, paths, null)))
    }
    for (const [at, fault] of life.faults.entries()) {
      inTime()
      say(`${life.name}: ${at + 1} of ${life.faults.length}, ${fault.name}`)
      if (at === Math.floor(life.faults.length / 3)) deployed.start(lateOnes)
      node.next()
      const undo = await fault.strike(scene)
      await undo()
      if (at % life.faultsBetweenRests === life.faultsBetweenRests - 1) await rest()
    }
    node.toLast()
    await settled(deployed, factsOfEnd, () => node.toEnd())
    await readers.stop()
    complaints.push(...(await differencesFrom(scene, paths, calm)))
    complaints.push(...(await endOrder(scene, readers.responses)))
    const counts = [...readers.counts].map(([status, count]) => `${count} of ${status}`).join(', ')
    say(`${life.name}: ${node.standing.length} blocks; answers: ${counts}`)
    const lives = [...deployed.services.values()].map((one) => `${one.name} ${one.lives.length}`)
    say(`${life.name}: lives: ${lives.join(', ')}`)
  } finally {
    // Also of a life that was cut short nothing may be left: it would be in the way of the next.
    await mended(servers)
    await readers.stop()
    complaints.push(...(await deployed.drop()))
    await node.close()
  }
  return complaints
}
