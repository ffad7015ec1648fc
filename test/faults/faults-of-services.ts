import { setTimeout as pause } from 'node:timers/promises'
import { storedBlocks } from '../support/chain-in-log.ts'
import { blocksGroups, type ServiceName } from './deployment.ts'
import { movedClock } from './moved-clock.ts'
import type { Fault, Scene } from './scene.ts'

/** Some blows fall while it is being started again after the one before. */
const hastyShare = 5

/** SIGKILL at any moment of its work, or of its start; it is started again at once. */
export const killed = (name: ServiceName): Fault => ({
  name: `${name} killed`,
  async strike({ deployed, random, tally }) {
    const service = deployed.service(name)
    if (random.below(hastyShare) > 0) await service.begun()
    await pause(random.below(momentMaxMs))
    if (await service.kill()) tally.killsAtRandom += 1
    return async () => {}
  },
})
/** Within it, a step of the chain is fetched, published, folded and written. */
const momentMaxMs = 1_500

/**
 * Who reads for group `state` is killed, and comes back when the other has read all in its place:
 * that one knows only what it has folded itself, and begins there.
 */
export const takenOver: Fault = {
  name: 'the reader of group state is killed and stays away: the other one takes over',
  async strike({ deployed, node, say }) {
    const [reader, other] = await deployed.readerAndOther()
    node.next()
    const back = await reader.away()
    node.next()
    await deployed.takesOver(other)
    say(`${other.name} has taken over from ${reader.name}`)
    return async () => {
      back()
      await reader.begun()
    }
  },
}

/** Stopped for a while: when it goes on, it knows nothing of what has happened meanwhile. */
export const paused = (name: ServiceName, forMs: number): Fault => ({
  name: `${name} stopped for ${forMs} ms`,
  async strike({ deployed, node }) {
    const service = deployed.service(name)
    await service.begun()
    const wake = service.pause()
    for (const until = Date.now() + forMs; Date.now() < until; await pause(forMs / 4)) node.next()
    return async () => {
      wake()
      await service.begun()
    }
  },
})

/** Members of the groups' that come and go: the broker gives each partition anew each time. */
export const rebalanced = (forMs: number): Fault => ({
  name: `rebalances for ${forMs} ms`,
  async strike({ deployed, tell, say }) {
    // The first waits for the places of those who were killed before.
    await Promise.all(blocksGroups.map(deployed.visit))
    const before = new Map(blocksGroups.map((group) => [group, deployed.givenReading(group)]))
    const began = Date.now()
    let stepsFollowed = 0
    // On a busy machine until a step was followed, however long that takes: `caughtUp` has a bound.
    const isOver = () => Date.now() - began >= forMs && stepsFollowed > 0
    const following = async () => {
      while (!isOver()) {
        await deployed.caughtUp(await tell())
        if (!isOver()) stepsFollowed += 1
        await pause(stepEveryMs)
      }
    }
    const visiting = blocksGroups.map(async (group) => {
      for (let begunAt = Date.now(); !isOver(); begunAt = Date.now()) {
        await deployed.visit(group)
        await pause(Math.max(0, begunAt + visitEveryMs - Date.now()))
      }
      const given = deployed.givenReading(group) - (before.get(group) ?? 0)
      say(`group ${group} was given anew ${given} times in ${Date.now() - began} ms`)
      if (given < forMs / 2_000) throw new Error(`only ${given} rebalances of group ${group}`)
    })
    await Promise.all([...visiting, following()])
    say(`${stepsFollowed} steps of the chain were followed meanwhile`)
    return async () => {}
  },
})
/** The members notice it when they beat, each second. */
const visitEveryMs = 1_000
const stepEveryMs = 2_000

/** All processes live by a clock that jumps by hours. */
export const clockMoved = (names: readonly ServiceName[]): Fault => ({
  name: `the clock of ${names.length} services moved`,
  async strike({ deployed, tell }) {
    const again = async () => {
      for (const name of names) await deployed.service(name).kill()
      for (const name of names) await deployed.service(name).begun()
    }
    deployed.disturb(movedClock)
    await again()
    for (let steps = 0; steps < 4; steps++) {
      await deployed.caughtUp(await tell())
    }
    return async () => {
      deployed.disturb({})
      await again()
    }
  },
})

/** A second publisher publishes again all that was published, from a random position on. */
export const repeated: Fault = {
  name: 'a suffix of blocks delivered twice',
  async strike({ deployed, random }: Scene) {
    const { eventLog } = deployed
    const suffix = await storedBlocks(eventLog, random.below(await eventLog.end('blocks')))
    await eventLog.append('blocks', suffix)
    return async () => {}
  },
}
/** With an empty volume: it folds from the first message, in the face of all that goes on. */
export const volumeLost = (name: ServiceName): Fault => ({
  name: `${name} lost its volume`,
  async strike({ deployed }) {
    await deployed.service(name).begun()
    await deployed.loseVolume(name)
    return async () => {}
  },
})
