import pTimeout from 'p-timeout'
import { type openApiOf, openApiText } from '../../../libs/presenters/open-api/open-api.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { ExamplePage } from '../examples/example-pages.ts'
import { type Content, tagged } from '../response/responses.ts'
import { digestOf, templateOf } from '../response/splices.ts'

type OpenApi = ReturnType<typeof openApiOf>
type PathItem = OpenApi['paths'][string]

/** The document without examples. */
export interface Printed {
  readonly openApi: OpenApi
  readonly content: Content
}

export interface DocsDocumentOptions extends Printed {
  /** Pages of what is indexed now; those of endpoints that have none are left out. */
  readonly findExamples: () => Promise<readonly ExamplePage[]>
  readonly log: Log
  /** In ms. */
  readonly now?: () => number
}

/** Minimum interval between searches for examples, however many requests come. */
const everyMs = 15_000
/** A reader without examples waits no longer for them. */
const waitMs = 3_000

/** The OpenAPI document with examples that are indexed now, so that each request can be tried. */
export class DocsDocument {
  private readonly options: DocsDocumentOptions
  /** Subjects by route. */
  private examples: ReadonlyMap<string, string> = new Map()
  private current: Content
  private searching: Promise<void> | null = null
  private searchedAt = Number.NEGATIVE_INFINITY

  constructor(options: DocsDocumentOptions) {
    this.options = options
    this.current = options.content
  }

  /** At once if there are examples: they may then be those of the search before. */
  content(): Content | Promise<Content> {
    const searching = this.search()
    if (searching === null || this.examples.size > 0) return this.current
    const bounded = pTimeout(searching, { milliseconds: waitMs, fallback: () => {} })
    return bounded.then(() => this.current)
  }

  /** Null if the last search is recent. */
  private search(): Promise<void> | null {
    const { now = () => performance.now() } = this.options
    if (this.searching === null && now() - this.searchedAt >= everyMs) {
      this.searchedAt = now()
      this.searching = this.searched().finally(() => {
        this.searching = null
      })
    }
    return this.searching
  }

  /** Never rejects. What was found before stays where nothing newer shows something. */
  private async searched(): Promise<void> {
    const { findExamples, openApi, log } = this.options
    try {
      const better = (await findExamples()).filter(
        ({ route, isEmpty }) => !isEmpty || !this.examples.has(route),
      )
      const found = better.map(({ route, subject }) => [route, subject] as const)
      this.examples = new Map([...this.examples, ...found])
      const content = contentOf(withExamples(openApi, this.examples))
      // An equal one has been compressed already.
      if (content.headers.etag !== this.current.headers.etag) this.current = content
    } catch (error) {
      log.warn({ event: events.api.failed, error }, 'no newer examples for /docs')
    }
  }
}

export function contentOf(openApi: OpenApi): Content {
  const body = templateOf(openApiText(openApi))
  return tagged(body.bytes, digestOf(body))
}

const withExamples = (openApi: OpenApi, examples: ReadonlyMap<string, string>): OpenApi => ({
  ...openApi,
  paths: Object.fromEntries(
    Object.entries(openApi.paths).map(([path, item]) => {
      const example = examples.get(path)
      return [path, example === undefined ? item : withExample(item, example)]
    }),
  ),
})

const withExample = ({ get }: PathItem, example: string): PathItem => ({
  get: {
    ...get,
    parameters: get.parameters.map((parameter) =>
      parameter.in === 'path' ? { ...parameter, example } : parameter,
    ),
  },
})
