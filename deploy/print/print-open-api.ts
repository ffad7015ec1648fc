import { openApiOf, openApiText } from '../../libs/presenters/open-api/open-api.ts'
import { version } from '../../libs/signals/version.ts'
import { routes } from '../../services/api/endpoints/routes.ts'

// Of servers without settings. A release stores it: see CONTRIBUTING.md.
const document = openApiOf(routes, { publishedTypes: false, version })
process.stdout.write(`${openApiText(document, 1)}\n`)
