import { createServer, type IncomingMessage } from 'node:http'

/** Before a JSON-RPC node: while it refuses, requests for receipts are answered with 503. */
export interface RefusingNode {
  readonly url: string
  isRefusing: boolean
  close(): Promise<void>
}

export async function refusingNode(target: string): Promise<RefusingNode> {
  const server = createServer((request, response) => {
    void answerTo(request).then(
      ({ status, text }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      },
      () => response.destroy(),
    )
  })
  const answerTo = async (request: IncomingMessage) => {
    const body = await textOf(request)
    if (node.isRefusing && body.includes('Receipt')) return { status: 503, text: '' }
    const answer = await fetch(target, { method: 'POST', body })
    return { status: answer.status, text: await answer.text() }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0
  const node: RefusingNode = {
    url: `http://127.0.0.1:${port}`,
    isRefusing: false,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return node
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
