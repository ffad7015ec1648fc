import { register } from 'node:module'

/**
 * Runs the TypeScript sources without their types and with nothing added, as the image runs what
 * `tsc` made of them. `tsx` has esbuild keep the name of each function: a call for every closure that
 * is made, a fifth of the processor time of a page (`libs/MEASUREMENTS.md`, "Names of functions").
 */
register('./strip-types-hooks.mjs', import.meta.url)
process.setSourceMapsEnabled(true)
