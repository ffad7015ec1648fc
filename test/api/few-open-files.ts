import { served } from './served.ts'

/** Forked: serves the API, sends its port, and lives until it is killed. */
const { server } = await served({ balancesOfAddress: async () => [] })
process.send?.({ port: server.port })
process.once('disconnect', () => process.exit())
