import { expect, test } from 'vitest'
import { z } from 'zod'
import { testApi } from '../testing/test-api.ts'
import { viewer } from './viewer.ts'

/** What the page loads, in its order. */
async function filesOfPage(): Promise<string[]> {
  const { body } = await testApi().ask('/docs')
  return [...body.toString().matchAll(/ (?:src|href)="(\/api\/docs\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  )
}

test('the page has no script or style in it, and may load its own files only', async () => {
  const { status, headers, body } = await testApi().ask('/docs')
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = headers['content-security-policy']?.split('; ')
  expect(policy).toEqual([
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:"],
    ...["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ])
  const page = body.toString()
  expect(page).not.toMatch(/<style|<script(?! defer src="\/api\/docs\/)| on\w+=|style=|https?:/)
})

test('each file that the page loads is served, of its type, for as long as its path lives', async () => {
  const { ask } = testApi()
  const paths = await filesOfPage()
  expect(paths.map((path) => path.replace(/^\/api\/docs\/[\w-]{16}\//, ''))).toEqual([
    ...['swagger-ui.css', 'page-style.css', 'swagger-ui-bundle.js', 'page-script.mjs'],
  ])
  for (const path of paths) {
    const { status, headers, body } = await ask(path)
    expect(status, path).toBe(200)
    expect(headers).toMatchObject({
      'content-type': path.endsWith('.css')
        ? 'text/css; charset=utf-8'
        : 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const { etag = '' } = headers
    const again = await ask(path, { headers: { 'if-none-match': etag } })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect((await ask(path, { method: 'HEAD' })).headers.etag).toBe(etag)
    expect((await ask(path, { method: 'POST' })).status).toBe(405)
    const gzip = await ask(path, { headers: { 'accept-encoding': 'gzip' } })
    if (body.length > 1_024) expect(gzip.headers['content-encoding']).toBe('gzip')
  }
})

test('no other file can be requested, however its path is spelled', async () => {
  const { ask } = testApi()
  const [path = ''] = await filesOfPage()
  const folder = path.slice(0, path.lastIndexOf('/'))
  for (const other of [
    ...[
      '/api/docs/swagger-ui.css',
      '/api/docs/0000000000000000/swagger-ui.css',
      folder,
      `${folder}/`,
    ],
    ...['index.html', 'package.json', '../package.json', '..%2fpackage.json', 'viewer.ts'].map(
      (name) => `${folder}/${name}`,
    ),
    ...[
      `${path}/..`,
      `${path}%00`,
      `${path}.map`,
      '/api/docs/../package.json',
      '/api/docs/%2e%2e/LICENSE',
    ],
  ]) {
    expect((await ask(other)).status, other).toBe(404)
  }
})

test('a process holds few bytes of it', () => {
  const { page, files } = viewer()
  const bytes = [page, ...files.values()].reduce((sum, { body }) => sum + body.length, 0)
  expect(bytes).toBeLessThan(2.5 * 1024 * 1024)
  expect(viewer()).toBe(viewer())
})

test('requests of files are one route in the metrics, others are unknown', async () => {
  const { ask, counted } = testApi()
  for (const path of await filesOfPage()) await ask(path)
  await ask('/api/docs/none')
  const lines = (await counted())
    .split('\n')
    .filter((line) => /^foldscan_requests_total.* [1-9]/.test(line))
  expect(lines).toEqual([
    'foldscan_requests_total{route="/api/docs/files",status="200"} 4',
    'foldscan_requests_total{route="unknown",status="404"} 1',
  ])
})

test('the page has a document of its own, that of clients has no examples', async () => {
  const { ask } = testApi()
  const own = await ask('/api/docs/openapi.json')
  expect([own.status, own.headers['cache-control']]).toEqual([
    200,
    'public, max-age=0, must-revalidate',
  ])
  expect(own.body.toString()).toBe((await ask('/api/v2/openapi.json')).body.toString())
  z.object({ paths: z.record(z.string(), z.unknown()) }).parse(JSON.parse(own.body.toString()))
})
