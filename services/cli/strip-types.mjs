import { register } from 'node:module'

/**
 * Runs the TypeScript sources with spaces instead of their types, as later versions of Node do by
 * themselves with the same compiler: lines and columns stay, and there is no process beside this one,
 * as esbuild needs. `tsx` has esbuild keep the name of each function: a call for every closure that
 * is made, a fifth of the processor time of a page (`benchmarks/NOTES.md`, "Names of functions").
 */
register('./strip-types-hooks.mjs', import.meta.url)
