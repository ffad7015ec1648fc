import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Recipe, recipesOf, unfollowed, unlisted } from './recipes.ts'
import { textFiles, top } from './tree.ts'

const files = textFiles()
const recipes = recipesOf(readFileSync(join(top, 'CONTRIBUTING.md'), 'utf8'))

/** Product files that use the words of an example for something else, or only by the way. */
const others: Readonly<Record<string, readonly string[]>> = {
  'A field': [
    'libs/adapters/rpc/blocks/assemble-block.ts',
    'services/cli/operate/audit/testing/audited-world.ts',
    'services/demo-chain/submission.ts',
    'services/ingestor/draft-blocks.ts',
  ],
  'An endpoint': [
    'services/api/testing/folded-tables.ts',
    'services/api/testing/questions.ts',
    'services/api/testing/simulated-replicas.ts',
    'services/api/testing/simulated-tables.ts',
    'services/cli/operate/audit/check-token.ts',
    'services/cli/operate/audit/testing/audited-world.ts',
  ],
  'A query': [
    'libs/presenters/open-api/open-api-examples.json',
    'services/api/endpoints/routes.ts',
  ],
  'A table': [
    'services/api/endpoints/testing/token-balances-of-address.ts',
    'services/api/testing/rated-walks.ts',
  ],
}

describe('CONTRIBUTING.md', () => {
  it('has the five recipes', () =>
    expect(recipes.map(({ name }) => name)).toEqual([
      'A field',
      'An endpoint',
      'A query',
      'A table',
      'A metric',
    ]))
})

describe.each(recipes)('the recipe: $name', (recipe) => {
  it('names files that are there', () => {
    expect(recipe.paths.length).toBeGreaterThan(4)
    expect(recipe.paths.filter((path) => !existsSync(join(top, path)))).toEqual([])
  })

  it('is followed by its example in each file', () => expect(unfollowed(recipe, files)).toEqual([]))

  it('leaves out no product file in which its example is', () =>
    expect(unlisted(recipe, files)).toEqual(others[recipe.name] ?? []))
})

describe('the checks of recipes', () => {
  const page = [
    '# Contributing',
    '### A field',
    'Example: `gasUsed`, shown as `gas_used`.',
    '1. `libs/chain/block.ts`: its type; see also',
    '   `libs/queries/gas`.',
    'Not a step: `libs/other.ts`.',
    '### A metric',
    '1. `libs/signals/metrics.ts`: its line.',
  ].join('\n')
  const recipe: Recipe = {
    name: 'A field',
    words: ['gasUsed', 'gas_used'],
    paths: ['libs/chain/block.ts', 'libs/queries/gas'],
  }
  const used = { path: 'libs/queries/gas/gas.sql', text: 'SELECT gas_used' }

  it('read words and paths of each', () =>
    expect(recipesOf(page)).toEqual([
      recipe,
      { name: 'A metric', words: [], paths: ['libs/signals/metrics.ts'] },
    ]))

  it('meet a file that the example is not in', () =>
    expect(
      unfollowed(recipe, [{ path: 'libs/chain/block.ts', text: 'megagasUsed' }, used]),
    ).toEqual(['libs/chain/block.ts']))

  it('meet a product file that the recipe leaves out', () =>
    expect(
      unlisted(recipe, [
        used,
        { path: 'libs/chain/fee.ts', text: 'gasUsed * gasPrice' },
        { path: 'libs/chain/fee.spec.ts', text: 'gasUsed' },
        { path: 'libs/chain/gas.ts', text: "import '../gasUsed.ts'" },
      ]),
    ).toEqual(['libs/chain/fee.ts']))
})
