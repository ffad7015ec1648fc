import { type Endpoint, openApiOf, type PrintedForms } from '../../../libs/presenters/open-api.ts'
import type { Declared } from '../../../libs/presenters/parameters.ts'
import { shapes } from '../../../libs/presenters/schemas.ts'
import { version } from '../../../libs/signals/version.ts'
import { routes } from '../endpoints/routes.ts'
import { digestOf, templateOf } from '../render/splices.ts'
import { type Content, revalidated, tagged } from './responses.ts'

type OpenApi = ReturnType<typeof openApiOf>

export interface Documents {
  readonly openApi: Content
  /** A page that lists the endpoints and sends requests. */
  readonly docsPage: Content
}

export function documentsOf(forms: PrintedForms): Documents {
  const openApi = openApiOf(routes, { ...forms, version })
  const body = templateOf(JSON.stringify(openApi))
  return { openApi: tagged(body.bytes, digestOf(body)), docsPage: docsPageOf(openApi) }
}

const field = (name: string): string =>
  `<label>${name} <input name="${name}" size="24" spellcheck="false"></label>`

/** A schema of the OpenAPI document. */
const printed = ([id, schema]: [string, unknown]): string =>
  `<details id="${id}"><summary>${id}</summary><pre>${escaped(schema)}</pre></details>`

/** References to other schemas become links. */
const escaped = (schema: unknown): string =>
  JSON.stringify(schema, null, 1)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/"#\/components\/schemas\/(\w+)"/g, '<a href="#$1">$1</a>')

const section = ({ path, summary, parameters, body }: Endpoint<Declared>): string => {
  const { id = '' } = shapes.get(body) ?? {}
  const subject = /\{(\w+)\}/.exec(path)?.[1] ?? ''
  return `<form data-path="${path}"><h2>${path}</h2><p>${summary}: <a href="#${id}">${id}</a></p>
<label>${subject} <input data-subject size="66" required spellcheck="false"></label>
<details><summary>parameters</summary>${Object.keys(parameters.shape).map(field).join(' ')}</details>
<button>Send</button><pre></pre></form>`
}

const script = `for (const form of document.forms) form.onsubmit = async (event) => {
  event.preventDefault()
  const path = form.dataset.path.replace(/\\{\\w+\\}/, encodeURIComponent(form.querySelector('[data-subject]').value.trim()))
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''))
  const url = query.size ? path + '?' + query : path
  const show = (text) => { form.querySelector('pre').textContent = 'GET ' + url + '\\n' + text }
  try {
    const response = await fetch(url)
    show(response.status + '\\n' + JSON.stringify(await response.json(), null, 2))
  } catch (error) {
    show('no response: ' + error.message)
  }
}`

const style = `body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{font:600 1rem ui-monospace,monospace;margin:2rem 0 0}pre{overflow:auto;max-height:24rem}
label{display:inline-block;margin:.2rem .6rem .2rem 0}`

/** Loads nothing from other hosts. */
const docsPageOf = (openApi: OpenApi): Content => ({
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': revalidated },
  body: Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Foldscan</title>
<style>${style}</style><h1>Foldscan</h1>
<p>A read API of a chain. OpenAPI document: <a href="/api/v2/openapi.json">openapi.json</a>.</p>
${routes.map(section).join('\n')}
<h1>Responses</h1>
<p>The header <code>x-indexed-block</code> of every response is the newest indexed block.</p>
${Object.entries(openApi.components.schemas).map(printed).join('\n')}
<script>${script}</script></html>`),
})
