import { openApiOf, type PrintedForms } from '../../../libs/presenters/open-api/open-api.ts'
import { version } from '../../../libs/signals/version.ts'
import { routes } from '../endpoints/routes.ts'
import type { Content } from '../response/responses.ts'
import { contentOf, DocsDocument, type DocsDocumentOptions, type Printed } from './docs-document.ts'
import { documentPath, viewer } from './viewer.ts'

export interface Documents {
  /** What clients are generated from: without examples that change. */
  readonly openApi: Content
  /** The page `/docs` and what it loads; undefined for any other path. */
  readonly docs: (path: string) => Documented | undefined
}

interface Documented {
  /** Labels its metrics. */
  readonly route: string
  readonly content: Content | Promise<Content>
}

export function documentsOf(
  forms: PrintedForms,
  searching: Omit<DocsDocumentOptions, keyof Printed>,
): Documents {
  const { openApi, content } = printed(forms)
  const document = new DocsDocument({ ...searching, openApi, content })
  const { page, files } = viewer()
  return {
    openApi: content,
    docs(path) {
      if (path === '/docs') return { route: path, content: page }
      if (path === documentPath) return { route: path, content: document.content() }
      const content = files.get(path)
      return content === undefined ? undefined : { route: '/api/docs/files', content }
    },
  }
}

/** By whether types are as published. Shared by all handlers of a process: specs make thousands. */
const printedOnce = new Map<boolean, Printed>()

function printed({ publishedTypes }: PrintedForms): Printed {
  const known = printedOnce.get(publishedTypes)
  if (known !== undefined) return known
  const openApi = openApiOf(routes, { publishedTypes, version })
  const made = { openApi, content: contentOf(openApi) }
  printedOnce.set(publishedTypes, made)
  return made
}
