import { register } from 'node:module'

/**
 * `node --import ./benchmarks/strip-types.mjs FILE.ts` runs the sources without their types, and
 * with nothing added: as the image runs what `tsc` made of them. `tsx` has esbuild keep the name of
 * each function, a call for every closure that is made (`libs/MEASUREMENTS.md`, "Names of
 * functions").
 */
register('./strip-types-hooks.mjs', import.meta.url)
