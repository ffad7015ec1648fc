import { linked } from '../../testing/linked-rows.ts'
import type { Target } from '../../testing/targets.ts'
import { routes } from '../routes.ts'
import type { Story } from './story.ts'

const fileOf = (operationId: string): string =>
  operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * The story of each endpoint, which lies here in a file of its name, in the order of `routes`. Vite
 * takes a variable name from a folder that is named, not from its own.
 */
export const stories = await Promise.all(
  routes.map(async (route) => {
    const { story }: { story: Story } = await import(`../testing/${fileOf(route.operationId)}.ts`)
    return { route, ...story }
  }),
)

/** What the model checker of caches asks of all endpoints. */
export const targets: readonly Target[] = stories.flatMap(({ checked }) => checked)

const { token, owner, rich, hash } = linked
/** Has too many rows to share a query, in tables of balances. */
const hasMany = (path: string) => /\/(?:tokens|token-balances)$/.test(path)
const isOfToken = (path: string) => /\/tokens\/|logs/.test(path)

/** Targets about the subjects of `linked`, of each endpoint without a query and with its own. */
export const linkedTargets: readonly string[] = stories.flatMap(({ route, queries = [] }) => {
  const { path, subject } = route
  const one = subject === 'transaction' ? hash : isOfToken(path) ? token : owner
  return [one, ...(hasMany(path) ? [rich] : [])].flatMap((of) => {
    const target = path.replace(/\{\w+\}/, of)
    return [target, ...queries.map((query) => `${target}?${query}`)]
  })
})
