/**
 * How much is tried. What the short form leaves out is in `inCi` of `vitest.config.ts`:
 *
 * - **short**, in `npm test`: fewer seeds, subjects and requests, and no long lives;
 * - **long**, in CI (`TESTS=long`, or any run with `CI=true`): all of them;
 * - **whole**, in `npm run test:long` and `npm run test:faults` (`TESTS=whole`): also the
 *   whole fault lives, more kills, and clients and requests made from openapi.json, which take an
 *   hour more.
 */
const wanted = process.env.TESTS ?? ''
if (!['', 'short', 'long', 'whole'].includes(wanted)) {
  throw new Error(`TESTS is short, long or whole: ${wanted}`)
}

export const isLong = wanted === '' ? process.env.CI === 'true' : wanted !== 'short'

/** For tests that are mostly waiting and have a script of their own. */
export const isWhole = wanted === 'whole'

const long = {
  /** Random subjects whose lists are walked, besides the busiest. */
  walkSubjects: 200,
  /** Busiest subjects of each kind, whose lists are walked in all sizes. */
  walkBusiest: 2,
  /** Depths of reorganisations, each followed by a walk. */
  demoForkDepths: [1, 3, 12, 64],
  mainnetForkDepths: [1, 3, 12],
  /** Blocks of tokens that transfers do not explain, each compared with the node. */
  oddTokenBlocks: 200,
  /** One of so many holders and transactions of real blocks is compared with the truth tables. */
  mainnetShare: 1,
  /** Connections that say nothing, and that send a byte a second. */
  idleConnections: 10_000,
  slowConnections: 1_000,
  /** Seeds of random runs against the law of caches. */
  cacheSeeds: 60,
  /** Benchmarks whose quick form runs: every one, or the fastest. */
  benchmarks: 'every',
  /** MB of blocks that are published and folded, at most. */
  greatBlockMegabytes: 100,
  /** Operations of /docs that are tried in the dark and on the phone; in the light all are. */
  triedElsewhere: 10,
}

const short: typeof long = {
  walkSubjects: 24,
  walkBusiest: 1,
  demoForkDepths: [3, 64],
  mainnetForkDepths: [12],
  oddTokenBlocks: 25,
  mainnetShare: 4,
  idleConnections: 1_000,
  slowConnections: 200,
  cacheSeeds: 15,
  benchmarks: 'fastest',
  greatBlockMegabytes: 20,
  triedElsewhere: 1,
}

export const runLength = isLong ? long : short
