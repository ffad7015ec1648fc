import type { Target } from '../../testing/targets.ts'
import { routes } from '../routes.ts'
import type { Story } from './story.ts'

const fileOf = (operationId: string): string =>
  operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The story of each endpoint, which lies here in a file of its name, in the order of `routes`. */
export const stories = await Promise.all(
  routes.map(async (route) => {
    const { story }: { story: Story } = await import(`./${fileOf(route.operationId)}.ts`)
    return { route, ...story }
  }),
)

/** What the model checker of caches asks of all endpoints. */
export const targets: readonly Target[] = stories.flatMap(({ checked }) => checked)
