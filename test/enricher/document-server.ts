import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

/** What a server answers; without a body 404. */
export interface Served {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

/** A server of strangers' documents on loopback, which counts what it is asked for. */
export class DocumentServer {
  readonly asked: string[] = []
  readonly #documents = new Map<string, Served>()
  readonly #server: Server

  static async start(): Promise<DocumentServer> {
    const server = createServer()
    const documents = new DocumentServer(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return documents
  }

  private constructor(server: Server) {
    this.#server = server
    server.on('request', ({ url = '' }, response) => {
      this.asked.push(url)
      const { body, headers = {}, status } = this.#documents.get(url) ?? {}
      response.writeHead(status ?? (body === undefined ? 404 : 200), headers)
      response.end(body)
    })
  }

  get origin(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  }

  serve(path: string, served: Served): void {
    this.#documents.set(path, served)
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }
}
