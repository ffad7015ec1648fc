import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Content, tagged } from '../response/responses.ts'

/** The page at `/docs`, and the files that it loads. */
export interface Viewer {
  readonly page: Content
  /** By path. No other file of the package can be requested. */
  readonly files: ReadonlyMap<string, Content>
}

/** Where the page finds its OpenAPI document. */
export const documentPath = '/api/docs/openapi.json'

const javascript = 'text/javascript; charset=utf-8'
const css = 'text/css; charset=utf-8'

const packages = createRequire(import.meta.url)
const ofPackage = (name: string) => readFileSync(packages.resolve(`swagger-ui-dist/${name}`))
const own = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url))

const noSniffing = { 'x-content-type-options': 'nosniff' }

/** The page of this release loads its own files only: their path changes with their content. */
const immutable = { 'cache-control': 'public, max-age=31536000, immutable' }

/** Nothing from elsewhere, no script or style in the page, no eval. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI has icons in its style sheet.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

let read: Viewer | null = null

/** Read once a process: 2 MiB, and 0.5 MiB more once they have been compressed. */
export function viewer(): Viewer {
  read ??= readViewer()
  return read
}

function readViewer(): Viewer {
  const sources = [
    { name: 'swagger-ui.css', type: css, body: ofPackage('swagger-ui.css') },
    { name: 'page-style.css', type: css, body: own('page-style.css') },
    { name: 'swagger-ui-bundle.js', type: javascript, body: ofPackage('swagger-ui-bundle.js') },
    { name: 'page-script.mjs', type: javascript, body: own('page-script.mjs') },
  ]
  const folder = `/api/docs/${digestOf(Buffer.concat(sources.map(({ body }) => body)))}`
  const files = sources.map(({ name, type, body }): [string, Content] => {
    const headers = { ...noSniffing, ...immutable, 'content-type': type }
    return [`${folder}/${name}`, tagged(body, digestOf(body), headers)]
  })
  const page = Buffer.from(pageOf(files.map(([path]) => path)))
  const headers = { ...noSniffing, 'content-type': 'text/html; charset=utf-8' }
  const strict = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }
  return {
    page: tagged(page, digestOf(page), { ...headers, ...strict }),
    files: new Map(files),
  }
}

const digestOf = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 16)

const pageOf = (paths: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Foldscan API</title>
<link rel="icon" href="data:,">
${paths.map(loading).join('\n')}
</head>
<body>
<div id="viewer"></div>
<noscript>This page needs scripts. <a href="/api/v2/openapi.json">openapi.json</a> says the same.</noscript>
</body>
</html>
`

/** Scripts run in this order, after the page is parsed. */
const loading = (path: string): string =>
  path.endsWith('.css')
    ? `<link rel="stylesheet" href="${path}">`
    : `<script defer src="${path}"></script>`
