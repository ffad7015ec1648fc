import { once } from 'node:events'
import { createServer } from 'node:http'

interface Question {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

interface Failure {
  readonly code: number
  readonly message: string
}

const isQuestion = (said: unknown): said is Question =>
  typeof said === 'object' && said !== null && 'method' in said && 'id' in said

/** What a node fails to answer as it lacks a method. */
export const withoutMethod =
  (lacking: string) =>
  ({ method }: Question): Failure | null =>
    method === lacking
      ? { code: -32601, message: `the method ${lacking} does not exist/is not available` }
      : null

/** … or the states of blocks below one, for calls that name them by number. */
export const withoutStatesBelow =
  (first: number) =>
  ({ method, params }: Question): Failure | null =>
    ['eth_call', 'eth_getBalance', 'eth_getCode'].includes(method) && Number(params[1]) < first
      ? { code: -32000, message: 'missing trie node' }
      : null

/** A node that answers as another does, but for what it fails to. */
export async function poorerNode(
  url: string,
  failureOf: (question: Question) => Failure | null,
): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const said: unknown = JSON.parse(Buffer.concat(chunks).toString())
    const answers = await Promise.all((Array.isArray(said) ? said : [said]).map(answerTo))
    response.end(JSON.stringify(Array.isArray(said) ? answers : answers[0]))
  })

  async function answerTo(question: unknown): Promise<unknown> {
    const error = isQuestion(question) ? failureOf(question) : null
    if (isQuestion(question) && error) return { jsonrpc: '2.0', id: question.id, error }
    const headers = { 'content-type': 'application/json' }
    const asked = await fetch(url, { method: 'POST', headers, body: JSON.stringify(question) })
    return asked.json()
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${bound.port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
