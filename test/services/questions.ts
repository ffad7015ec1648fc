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

/** Kinds of subjects, by how the paths of their endpoints begin. */
const kinds: readonly (readonly [string, readonly (keyof Subjects)[]])[] = [
  ['/api/v2/addresses/', ['addresses', 'emitters', 'recipients', 'collectors']],
  ['/api/v2/tokens/', ['tokens']],
  ['/api/v2/transactions/', ['transactions']],
]

/** All endpoints in all their forms, of the busiest `each` subjects of a kind. */
export function questionsOf(subjects: Subjects, each: number): Question[] {
  const asked = kinds.flatMap(([begin, names]) => {
    const busiest = new Set(names.flatMap((name) => subjects[name].slice(0, each)))
    const ofKind = stories.filter(({ route }) => route.path.startsWith(begin))
    return [...busiest].flatMap((subject) =>
      ofKind.flatMap(({ route, forms }) => {
        const path = route.path.replace(/\{\w+\}/, subject)
        return forms.map((parameters) => ({ path, parameters }))
      }),
    )
  })
  return [...asked, ...others]
}
