import { stories } from '../../services/api/endpoints/testing/stories.ts'
import type { Subjects } from '../../services/api/examples/subjects.ts'

/** A list to walk, or a single answer; asked of all who should answer alike. */
export interface Question {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
}

/** What is wrong, or of nobody, has an answer too. */
const others: readonly Question[] = [
  { path: `/api/v2/addresses/0x${'0'.repeat(40)}/token-balances`, parameters: {} },
  { path: `/api/v2/addresses/0x${'1'.repeat(40)}/transactions`, parameters: {} },
  { path: '/api/v2/addresses/0x12/logs', parameters: {} },
  { path: `/api/v2/tokens/0x${'1'.repeat(40)}/holders`, parameters: { items_count: '-1' } },
  { path: `/api/v2/tokens/0x${'1'.repeat(40)}`, parameters: {} },
  { path: `/api/v2/transactions/0x${'1'.repeat(64)}/summary`, parameters: {} },
  { path: '/api/v2/nothing', parameters: {} },
]

type Kinds = readonly (keyof Subjects)[]

function kindsOf(path: string): Kinds {
  if (path.startsWith('/api/v2/addresses/'))
    return ['addresses', 'emitters', 'recipients', 'collectors']
  if (path.startsWith('/api/v2/tokens/')) return ['tokens']
  if (path.startsWith('/api/v2/transactions/')) return ['transactions']
  throw new Error(`no kind of subjects for ${path}`)
}

/** All endpoints in all their forms, of the busiest `each` subjects of a kind. */
export function questionsOf(subjects: Subjects, each: number): Question[] {
  const asked = stories.flatMap(({ route, forms }) => {
    const busiest = kindsOf(route.path).flatMap((kind) => subjects[kind].slice(0, each))
    return [...new Set(busiest)].flatMap((subject) => {
      const path = route.path.replace(/\{\w+\}/, subject)
      return forms.map((parameters) => ({ path, parameters }))
    })
  })
  return [...asked, ...others]
}
