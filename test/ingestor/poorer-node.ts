import { once } from 'node:events'
import { createServer } from 'node:http'

interface Question {
  readonly id: number
  readonly method: string
}

const isQuestion = (said: unknown): said is Question =>
  typeof said === 'object' && said !== null && 'method' in said && 'id' in said

/** A node that has all that another has, but for one method. */
export async function poorerNode(
  url: string,
  lacking: string,
): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const said: unknown = JSON.parse(Buffer.concat(chunks).toString())
    const answers = await Promise.all((Array.isArray(said) ? said : [said]).map(answerTo))
    response.end(JSON.stringify(Array.isArray(said) ? answers : answers[0]))
  })

  async function answerTo(question: unknown): Promise<unknown> {
    if (isQuestion(question) && question.method === lacking) {
      const message = `the method ${lacking} does not exist/is not available`
      return { jsonrpc: '2.0', id: question.id, error: { code: -32601, message } }
    }
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
