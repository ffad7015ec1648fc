import { setTimeout as pause } from 'node:timers/promises'
import type { Stack } from '../../deploy/stack/stack.ts'
import { madeTopic, produceOnce } from '../cluster/kafka-commands.ts'
import type { DelayingProxy } from '../support/delaying-proxy.ts'
import { withRedis } from './redis-client.ts'
import type { Fault } from './scene.ts'

type Name = Exclude<keyof Stack, 'stop'>

/** In the middle of what it does for us, as the chain goes on while it is struck. */
const momentMaxMs = 800

/** SIGKILL, and started again on what lies on its disk. */
export const serverKilled = (name: Name): Fault => ({
  name: `${name} killed`,
  async strike({ stack, node, random, tally }) {
    node.next()
    await pause(random.below(momentMaxMs))
    const ran = stack[name].pid() !== null
    await stack[name].kill()
    if (ran && stack[name].pid() === null) tally.killsAtRandom += 1
    node.next()
    return () => stack[name].restart()
  },
})

/** Ended in its own way, and started again. */
export const serverStopped = (name: Name): Fault => ({
  name: `${name} stopped and started`,
  async strike({ stack, node }) {
    node.next()
    await stack[name].stop()
    node.next()
    return () => stack[name].restart()
  },
})

/** Keeps its connections, and answers nothing for a while. */
export const serverSlow = (name: Name, forMs: number): Fault => ({
  name: `${name} answers nothing for ${forMs} ms`,
  async strike({ stack, node }) {
    await stack[name].pause()
    for (const until = Date.now() + forMs; Date.now() < until; await pause(forMs / 4)) node.next()
    return () => stack[name].resume()
  },
})

/** Keeps its connections, and answers nothing until it is undone. */
export const serverHung = (name: Name): Fault => ({
  name: `${name} hangs`,
  async strike({ stack, node }) {
    node.next()
    await stack[name].pause()
    return () => stack[name].resume()
  },
})

/** Answers late, whatever it is asked by those who reach it through this proxy. */
export const serverDelayed = (name: Name, proxy: DelayingProxy, delayMs: number): Fault => ({
  name: `${name} answers ${2 * delayMs} ms late`,
  async strike({ node }) {
    node.next()
    proxy.delay(delayMs)
    return async () => proxy.delay(0)
  },
})

export const redisFlushed: Fault = {
  name: 'redis flushed',
  async strike({ stack, node }) {
    node.next()
    await withRedis(stack.redis.address, (redis) => redis.flushall())
    return async () => {}
  },
}

const filler = 'filler'
const leftBytes = 64 * 1024
const fillMaxMs = 60_000

/** The broker ends by itself when it cannot write any more. */
export const logDirectoryFull: Fault = {
  name: "the broker's log directory full",
  async strike({ stack, node, volume }) {
    // The run has printed why.
    if (volume === null) return async () => {}
    await madeTopic(stack.kafka.address, filler)
    const gone = stack.kafka.exited().then(() => true)
    volume.fill(leftBytes)
    let isGone = false
    for (const until = Date.now() + fillMaxMs; !isGone && Date.now() < until; ) {
      node.next()
      // The chain's own messages are small.
      await produceOnce(stack.kafka.address, filler, ['x'.repeat(leftBytes)]).catch(() => {})
      isGone = await Promise.race([gone, pause(100, false)])
    }
    if (!isGone) throw new Error('the broker goes on, though its log directory is full')
    return async () => {
      volume.relieve()
      await stack.kafka.restart()
    }
  },
}
