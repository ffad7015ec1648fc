import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpServer } from '../../libs/ports/http.ts'
import { StartupError } from './failure.ts'

type ServerOptions = Parameters<typeof uwsServer>[0]

/** Where it listens, and the flags that choose another place. */
interface ListenOptions extends ServerOptions {
  readonly flags: 'host and port' | 'health-host and health-port'
}

/** Serves a handler. @throws StartupError with the flags to change where it cannot listen there */
export async function listen({ flags, ...options }: ListenOptions): Promise<HttpServer> {
  try {
    return await uwsServer(options)
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    const [host, port] = flags.split(' and ')
    throw new StartupError(
      `Foldscan ${because}. --${port} chooses another port (0: any that is free), --${host} another address.`,
    )
  }
}
