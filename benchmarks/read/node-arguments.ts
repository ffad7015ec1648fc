/**
 * Half as many collections of the young generation, which copy what lives, as with Node's 16 MiB;
 * figures in benchmarks/NOTES.md. Compose and the chart set it, too.
 */
const semiSpaceMib = 32

/** Of a process of the API, as compose and the chart start it; of bare servers, too. */
export const nodeArguments = [...process.execArgv, `--max-semi-space-size=${semiSpaceMib}`]
