import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface LoopOptions {
  readonly port: number
  readonly clients: number
  /** Paths, each requested once. */
  readonly targets: readonly string[]
  /** Node's client by default. */
  readonly connect?: (port: number) => Promise<LoopConnection>
  /** Sees each body after its time was taken. */
  readonly onBody?: (target: string, body: Buffer) => void
}

/** Of one client, which sends one request after the other. */
export interface LoopConnection {
  get(target: string): Promise<Pick<Got, 'status' | 'body'>>
  close(): void
}

export interface LoopResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** With 503: a busy machine may not answer in time. */
  readonly refused: number
  readonly responses: number
}

/**
 * Each client sends its next request when the previous one was answered, on one connection.
 *
 * @throws if a status is neither 200 nor 503
 */
export async function closedLoop(options: LoopOptions): Promise<LoopResult> {
  const { port, clients, targets, connect = nodeConnection, onBody } = options
  const latencies: number[] = []
  let refused = 0
  let next = 0
  const connections = await opened(clients, () => connect(port))
  const startedAt = performance.now()
  const client = async (connection: LoopConnection) => {
    for (let target = targets[next++]; target !== undefined; target = targets[next++]) {
      const sentAt = performance.now()
      const { status, body } = await connection.get(target)
      latencies.push(performance.now() - sentAt)
      if (status === 200) onBody?.(target, body)
      else if (status === 503) refused++
      else throw new Error(`${target}: status ${status}`)
    }
  }
  try {
    await Promise.all(connections.map(client))
  } finally {
    for (const connection of connections) connection.close()
  }
  const seconds = (performance.now() - startedAt) / 1_000
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN
  return {
    perSecond: (latencies.length - refused) / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    refused,
    responses: latencies.length,
  }
}

/** @throws if one cannot be opened, with the others closed: they would keep the process alive */
async function opened(count: number, open: () => Promise<LoopConnection>) {
  const opening = await Promise.allSettled(Array.from({ length: count }, open))
  const connections = opening.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = opening.find((one) => one.status === 'rejected')
  if (failed === undefined) return connections
  for (const connection of connections) connection.close()
  throw failed.reason
}

async function nodeConnection(port: number): Promise<LoopConnection> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return { get: (path) => get({ agent, port, path }), close: () => agent.destroy() }
}

export interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface GetOptions {
  readonly agent: Agent
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly localAddress?: string
}

export const get = (options: GetOptions): Promise<Got> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (response) => {
      const chunks: Buffer[] = []
      const { statusCode: status = 0, headers } = response
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status, headers, body: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection just as it was used again: Node's own advice.
      if (sent.reusedSocket && error.code === 'ECONNRESET') get(options).then(resolve, reject)
      else reject(error)
    })
    sent.end()
  })
