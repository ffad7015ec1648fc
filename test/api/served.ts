import { connect } from 'node:net'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { silentLog } from '../../libs/signals/log.ts'
import type { Answers } from '../../services/api/testing/answers.ts'
import { testApi } from '../../services/api/testing/test-api.ts'

type ServerOptions = Partial<Parameters<typeof uwsServer>[0]>

/** The API on a real socket, on tables that the test answers itself. */
export async function served(
  answers: Answers = {},
  limits: Parameters<typeof testApi>[1] = {},
  options: Pick<
    ServerOptions,
    'unsentBytesMax' | 'slowAfterMs' | 'connectionsMax' | 'bodilessMean' | 'log'
  > = {},
) {
  const api = testApi(answers, limits)
  const { handler, metrics } = api
  const server = await uwsServer({ log: silentLog, ...options, port: 0, handler, metrics })
  return { ...api, server, origin: `http://127.0.0.1:${server.port}` }
}

/** How long an answer may take before it counts as none. */
const answerTimeoutMs = 10_000

/** Sends bytes as they are. @returns all that was answered until the other side closed. */
export function exchanged(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('no answer in time')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}
