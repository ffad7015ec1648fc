const inCi = 20_261_121

/**
 * What random tests start from: `FOLDSCAN_TEST_SEED`, to see a failure again; else new each time,
 * so that every run tries something else; but in CI always the same, as a change that has nothing
 * to do with what an unlucky seed finds must be able to land.
 */
export const testSeed = Number(
  process.env.FOLDSCAN_TEST_SEED ?? (process.env.CI === undefined ? Date.now() % 2 ** 31 : inCi),
)
