import { writeSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stackBinaries } from '../../deploy/stack/binaries.ts'
import { random } from '../queries/random.ts'
import { isWhole } from '../support/run-length.ts'
import { testSeed } from '../support/seed.ts'
import { endAll } from '../up/running.ts'
import { shortLives, wholeLives } from './acts.ts'
import { type Calm, calmRun } from './calm-run.ts'
import { chainPlan } from './chain-plan.ts'
import { lived } from './life.ts'
import type { Tally } from './scene.ts'
import { type Servers, startServers } from './servers.ts'

const seed = Number(testSeed)
const lifeMaxMs = 15 * 60_000
/** All of it, from its first line on: what takes longer than this is run by nobody. */
const runMaxMs = (isWhole ? 28 : 8) * 60_000
const stepsOfPlan = isWhole ? 180 : 50

/** A run of minutes without output looks like one that hangs. */
const began = Date.now()
const say = (sentence: string) => {
  const seconds = ((Date.now() - began) / 1_000).toFixed(0).padStart(4)
  writeSync(2, `${seconds} s  ${sentence}\n`)
}

const inTime = () => {
  if (Date.now() - began < runMaxMs) return
  throw new Error(`the whole run has taken more than ${runMaxMs / 60_000} minutes`)
}

const chosen = random(seed)
const plan = chainPlan(chosen, stepsOfPlan)
const none = await stackBinaries().then(
  () => null,
  (error: unknown) => String(error),
)
if (none !== null) {
  if (process.env.CI === 'true') throw new Error(none)
  writeSync(2, `\nSkipped the faults: ${none}\n`)
}

describe.skipIf(none !== null)(`a cluster to which things happen (seed ${seed})`, () => {
  let servers: Servers
  let calm: Calm

  beforeAll(async () => {
    servers = await startServers()
    const { noVolume } = servers
    if (noVolume !== null) writeSync(2, `\nSkipped the full log directory: ${noVolume}\n`)
    say(`seed ${seed}: FOLDSCAN_TEST_SEED=${seed} does the same again`)
    calm = await calmRun(servers, plan)
    say(`a calm run shows ${calm.pages.size} pages`)
  }, lifeMaxMs)
  afterAll(async () => {
    endAll()
    await servers?.stop()
  })

  const tally: Tally = { killsAtRandom: 0 }
  const lives = isWhole ? wholeLives(chosen) : shortLives(chosen)
  test.each(lives)(
    '$name leaves what a calm life leaves, and returns nothing stale',
    async (life) => {
      const complaints = await lived({ servers, plan, calm, seed, tally, say, inTime }, life)
      for (const complaint of complaints) say(complaint)
      expect(complaints, `FOLDSCAN_TEST_SEED=${seed}`).toEqual([])
    },
    lifeMaxMs,
  )

  test('kills as often as declared, at random moments', () => {
    say(`${tally.killsAtRandom} processes were killed at random moments`)
    expect(tally.killsAtRandom).toBeGreaterThanOrEqual(isWhole ? 200 : 10)
  })
  test('is over in time', () => {
    expect(inTime).not.toThrow()
  })
})
