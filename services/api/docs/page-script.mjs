// A script of the page `/docs`, after Swagger UI.

const dark = window.matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
follow()
dark.addEventListener('change', follow)

/** What of an operation is searched. */
function textOf(operation) {
  const declared = operation.get('operation')
  const names = declared.get('parameters')?.map((parameter) => parameter.get('name')) ?? []
  const texts = ['summary', 'description', 'operationId'].map((name) => declared.get(name))
  return [operation.get('path'), ...texts, ...names].join(' ').toLowerCase()
}

/** Finds operations by any of their texts. Swagger UI finds tags by their name. */
function operationsWith(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/)
  const isFound = (operation) => words.every((word) => textOf(operation).includes(word))
  return tags
    .map((tag) => tag.update('operations', (operations) => operations.filter(isFound)))
    .filter((tag) => tag.get('operations').size > 0)
}

function search({ React, getSystem }) {
  return () => {
    const { layoutSelectors, layoutActions } = getSystem()
    const phrase = layoutSelectors.currentFilter()
    const input = React.createElement('input', {
      type: 'search',
      className: 'operation-filter-input',
      'aria-label': 'Search operations',
      placeholder: 'Search: transfers, owner, items_count, …',
      value: typeof phrase === 'string' && phrase !== 'true' ? phrase : '',
      onChange: ({ target }) => layoutActions.updateFilter(target.value),
    })
    return React.createElement('div', { className: 'filter wrapper' }, input)
  }
}

const quoted = (text) => JSON.stringify(String(text))

/** The request as JavaScript. */
function fetchSnippet(request) {
  const headers = request.get('headers')?.filter((_, name) => name !== 'accept')
  const lines = headers?.map((value, name) => `    ${quoted(name)}: ${quoted(value)},\n`).join('')
  const options = lines ? `, {\n  headers: {\n${lines}  },\n}` : ''
  return `const response = await fetch(${quoted(request.get('url'))}${options})
if (!response.ok) throw new Error(\`status \${response.status}\`)
const body = await response.json()`
}

/** … and as Python, without a package to install. */
function pythonSnippet(request) {
  const headers = request.get('headers')?.map((value, name) => `${quoted(name)}: ${quoted(value)}`)
  return `import json, urllib.request
request = urllib.request.Request(${quoted(request.get('url'))}, headers={${headers?.join(', ') ?? ''}})
with urllib.request.urlopen(request) as response:
    body = json.load(response)`
}

/** The path without a link in it: it stands in a button. */
const pathOf =
  ({ React }) =>
  () =>
  ({ operationProps }) => {
    const path = operationProps.get('path')
    // A line may break before each slash.
    const parts = path
      .split(/(?=\/)/)
      .flatMap((part) => [React.createElement('wbr', { key: part }), part])
    return React.createElement(
      'span',
      { className: 'opblock-summary-path', 'data-path': path },
      ...parts,
    )
  }

/** Swagger UI shows this button before the parameters, and it does nothing until they are there. */
const executeOf =
  ({ React }) =>
  (Execute) =>
  (props) => {
    const { specSelectors, path, method } = props
    const resolved = specSelectors.specResolvedSubtree(['paths', path, method])
    return resolved === undefined ? null : React.createElement(Execute, props)
  }

const ours = (system) => ({
  fn: {
    opsFilter: operationsWith,
    requestSnippetGenerator_fetch: fetchSnippet,
    requestSnippetGenerator_python: pythonSnippet,
  },
  wrapComponents: {
    FilterContainer: () => search(system),
    OperationSummaryPath: pathOf(system),
    execute: executeOf(system),
    // There is one, and it is this one.
    ServersContainer: () => () => null,
  },
})

/** What Swagger UI leaves to the mouse, or without a name. */
function mend() {
  for (const code of document.querySelectorAll('.microlight:not([tabindex])')) code.tabIndex = 0
  for (const select of document.querySelectorAll('td select:not([aria-label])')) {
    const { paramName } = select.closest('tr').dataset
    select.setAttribute('aria-label', paramName ?? 'Media type')
  }
  for (const tab of document.querySelectorAll('.request-snippets .btn:not([role])')) {
    tab.setAttribute('role', 'button')
    tab.tabIndex = 0
    tab.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter' || key === ' ') tab.click()
    })
  }
}

const viewer = document.querySelector('#viewer')
new MutationObserver(mend).observe(viewer, { childList: true, subtree: true })

window.SwaggerUIBundle({
  url: '/api/docs/openapi.json',
  domNode: viewer,
  plugins: [ours],
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  supportedSubmitMethods: ['get'],
  validatorUrl: null,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      fetch: { title: 'JavaScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
  },
})
