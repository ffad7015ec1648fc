import { describe, expect, test } from 'vitest'
import { bodyBytesMax, ExplorerError, explorer } from './explorer.ts'

const tokens = '/api/v2/addresses/0x1/tokens'

/** An explorer at a URL whose server answers so. */
function at(
  url: string,
  answer: (request: URL) => Response | Promise<Response>,
  onWait?: (seconds: number) => void,
) {
  const requests: { url: URL; init: RequestInit | undefined }[] = []
  const send: typeof fetch = async (input, init) => {
    const request = new URL(String(input))
    requests.push({ url: request, init })
    return answer(request)
  }
  const ask = explorer({
    url: new URL(url),
    signal: new AbortController().signal,
    send,
    ...(onWait && { onWait }),
  })
  return { ask, requests }
}

const indexed = (block: string | null, body: unknown = {}, status = 200) =>
  Response.json(body, { status, headers: block === null ? {} : { 'x-indexed-block': block } })

const failureOf = async (answer: () => Response | Promise<Response>) => {
  const failed = at('https://u:secret@a.example', answer).ask(tokens, {})
  const error = await failed.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ExplorerError)
  return String(error)
}

test('the path and the cursor are added to the URL, and its own query is kept', async () => {
  const { ask, requests } = at('https://a.example/eth/?apikey=k', () => indexed('7', { x: 1 }))
  expect(await ask(tokens, { index: '3' })).toEqual({ status: 200, body: { x: 1 }, head: 7 })
  expect(requests[0]?.url.href).toBe(`https://a.example/eth${tokens}?apikey=k&index=3`)
})

test.each(['/api/v2', '/api/v2/', '/eth/api/v2'])('the URL may end in %s', async (end) => {
  const { ask, requests } = at(`https://a.example${end}`, () => indexed('7'))
  await ask(tokens, {})
  expect(requests[0]?.url.pathname).toBe(`${end.startsWith('/eth') ? '/eth' : ''}${tokens}`)
})

test('user and password go into a header, and to no other server', async () => {
  const { ask, requests } = at('https://u:secret@a.example', () => indexed('7'))
  await ask(tokens, {})
  const [{ url, init } = { url: null, init: undefined }] = requests
  expect(url?.href).toBe(`https://a.example${tokens}`)
  expect(init).toMatchObject({ redirect: 'manual' })
  expect(new Headers(init?.headers).get('authorization')).toMatch(/^Basic /)
})

describe('an explorer that does not say its head', () => {
  test('is asked for its newest block before each further page', async () => {
    const { ask, requests } = at('https://a.example', ({ pathname }) =>
      indexed(null, pathname === '/api/v2/main-page/blocks' ? [{ height: 12 }] : {}),
    )
    expect((await ask(tokens, {})).head).toBeNull()
    expect((await ask(tokens, {})).head).toBe(12)
    expect(requests.map(({ url }) => url.pathname)).toEqual([
      ...[tokens, '/api/v2/main-page/blocks', tokens],
    ])
  })

  test('may have no list of blocks', async () => {
    const { ask } = at('https://a.example', ({ pathname }) =>
      pathname === tokens ? indexed(null) : indexed(null, { message: 'Not found' }, 404),
    )
    await ask(tokens, {})
    expect((await ask(tokens, {})).head).toBeNull()
  })
})

test('an error of the API is an answer, whatever its body', async () => {
  expect(await at('https://a.example', () => indexed('7', {}, 404)).ask(tokens, {})).toMatchObject({
    status: 404,
  })
  const { ask } = at('https://a.example', () => new Response('none', { status: 404 }))
  expect(await ask(tokens, {})).toMatchObject({ status: 404, body: null })
})

test.each([
  ['a server that is away', () => Promise.reject(new TypeError('fetch failed')), 'fetch failed'],
  ['503', () => indexed(null, {}, 503), 'returned 503'],
  ['401', () => indexed(null, {}, 401), 'access denied'],
  [
    'a redirect',
    () => new Response(null, { status: 302, headers: { location: 'https://b.example' } }),
    'a redirect',
  ],
  ['a page of HTML', () => new Response('<html>'), 'something other than JSON'],
  [
    'a body without end',
    () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(bodyBytesMax / 4)),
        }),
      ),
    `more than ${bodyBytesMax} bytes`,
  ],
])('%s is no answer, and the reason has no secret', async (_, answer, reason) => {
  const sentence = await failureOf(answer)
  expect(sentence).toContain(reason)
  expect(sentence).not.toContain('secret')
})

test('a limit of requests is waited for, a few times', async () => {
  let limited = 2
  const waits: number[] = []
  const answer = () =>
    limited-- > 0
      ? new Response(null, { status: 429, headers: { 'retry-after': '0.001' } })
      : indexed('7')
  const { ask } = at('https://a.example', answer, (seconds) => void waits.push(seconds))
  expect((await ask(tokens, {})).status).toBe(200)
  expect(waits).toEqual([0.001, 0.001])
  expect(
    await failureOf(() => new Response(null, { status: 429, headers: { 'retry-after': '0.001' } })),
  ).toContain('returned 429')
})
