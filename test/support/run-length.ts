/**
 * How much is tried. What the short form leaves out is in `inCi` of `vitest.config.ts`:
 *
 * - **short**, in `npm test`: fewer subjects, and one of each kind of world and service;
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
  walkSubjects: isWhole ? 200 : 100,
  /** Busiest subjects of each kind, whose lists are walked in all sizes. */
  walkBusiest: 2,
  /** Depths of reorganisations of real blocks, each followed by a walk. */
  mainnetForkDepths: [1, 3, 12],
  /** Blocks of tokens that transfers do not explain, each compared with the node. */
  oddTokenBlocks: 200,
  /** One of so many holders and transactions of real blocks is compared with the truth tables. */
  mainnetShare: 1,
}

const short: typeof long = {
  walkSubjects: 24,
  walkBusiest: 1,
  mainnetForkDepths: [12],
  oddTokenBlocks: 25,
  mainnetShare: 4,
}

export const runLength = isLong ? long : short
