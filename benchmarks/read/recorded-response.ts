import { Agent, request } from 'node:http'
import { z } from 'zod'

const recordedResponse = z.object({
  target: z.string(),
  status: z.number(),
  statusText: z.string(),
  /** Without those that the HTTP library adds. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Base64. */
  body: z.string(),
})

export const recordedResponses = z.array(recordedResponse)

export type RecordedResponse = z.output<typeof recordedResponse>

/** Written by the HTTP library. */
const ofLibrary = ['date', 'uwebsockets', 'content-length', 'connection', 'keep-alive']

/** Requests each target once. */
export async function recordResponses(
  port: number,
  targets: readonly string[],
  headersOf: (target: string) => Readonly<Record<string, string>>,
): Promise<RecordedResponse[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const recorded: RecordedResponse[] = []
  for (const target of targets) {
    recorded.push(await record({ agent, port, path: target, headers: headersOf(target) }))
  }
  agent.destroy()
  return recorded
}

interface Asked {
  readonly agent: Agent
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const record = (asked: Asked): Promise<RecordedResponse> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...asked }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { rawHeaders, statusCode = 0, statusMessage = '' } = response
        const headers = rawHeaders.flatMap((name, at): [string, string][] =>
          at % 2 === 1 || ofLibrary.includes(name.toLowerCase())
            ? []
            : [[name, rawHeaders[at + 1] ?? '']],
        )
        const body = Buffer.concat(chunks).toString('base64')
        const { path: target } = asked
        resolve({ target, status: statusCode, statusText: statusMessage, headers, body })
      })
    })
    sent.on('error', reject)
    sent.end()
  })

/** A response as it can be compared: each has a request id of its own. */
export const comparable = ({ headers, ...rest }: RecordedResponse): string =>
  JSON.stringify({
    ...rest,
    headers: headers.map(([name, value]) => [name, name === 'x-request-id' ? '' : value]).sort(),
  })
