import { semiSpaceMib } from '../../services/cli/serve/workers/worker-process.ts'

/** Of a process of the API, as workers, compose and the chart start it; of bare servers, too. */
export const nodeArguments = [...process.execArgv, `--max-semi-space-size=${semiSpaceMib}`]
