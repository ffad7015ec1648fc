import { mentionedPaths } from './paper-checks.ts'
import type { ProjectFile } from './tree.ts'

/** What to do to add something, file by file, and an example of it that exists. */
export interface Recipe {
  readonly name: string
  /** Names of the example; longer names may begin with them. */
  readonly words: readonly string[]
  /** Files of its numbered steps, and folders. */
  readonly paths: readonly string[]
}

/** Sections of a page with numbered steps below a heading of the third level. */
export const recipesOf = (markdown: string): Recipe[] =>
  markdown
    .split(/^### /m)
    .slice(1)
    .map((section) => ({
      name: section.split('\n')[0] ?? '',
      words: [...(/^Example:.*/m.exec(section)?.[0] ?? '').matchAll(/`([^`]+)`/g)].flatMap(
        ([, word]) => word ?? [],
      ),
      paths: mentionedPaths((section.match(/^(?:\d+\. | {3,}).*/gm) ?? []).join('\n')),
    }))

/** Whether the example is in a file or in its path. Files that are only imported do not count. */
function isIn({ words }: Recipe, { path, text }: ProjectFile): boolean {
  const forms = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`(?<!\\w)(?:${forms.join('|')})(?!\\.(?:ts|sql)|-)`).test(`${path}\n${text}`)
}

const isOf = (listed: string, path: string) => path === listed || path.startsWith(`${listed}/`)

/** Paths of a recipe that its example did not need: the recipe asks for too much. */
export const unfollowed = (recipe: Recipe, files: readonly ProjectFile[]): string[] =>
  recipe.paths.filter(
    (listed) => !files.some((file) => isOf(listed, file.path) && isIn(recipe, file)),
  )

/** Code that a release contains, and what its specs share; not what releases before promised. */
const isProduct = ({ path }: ProjectFile) =>
  /^(?:libs|services|deploy(?!\/openapi)|helm)\/.*(?<!\.spec\.ts|\.md)$/.test(path)

/** Product files with the example that its recipe does not list: whoever follows it misses them. */
export const unlisted = (recipe: Recipe, files: readonly ProjectFile[]): string[] =>
  files
    .filter((file) => isProduct(file) && isIn(recipe, file))
    .map(({ path }) => path)
    .filter((path) => !recipe.paths.some((listed) => isOf(listed, path)))
