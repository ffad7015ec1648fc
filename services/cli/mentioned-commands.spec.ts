import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { settingName } from '../../libs/settings/read-settings.ts'
import { commandNames } from '../../libs/settings/setting.ts'
import { settingsTakenBy } from '../../libs/settings/settings.ts'
import { commandFamilies } from './commands.ts'

const top = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['deploy/README.md', 'deploy/OPERATE.md', 'deploy/SETTINGS.md', 'libs/README.md'],
  ...['deploy/runbooks', 'libs/design'].flatMap((folder) =>
    readdirSync(`${top}${folder}`).map((name) => `${folder}/${name}`),
  ),
]
const sources = ['libs', 'services'].flatMap((folder) =>
  readdirSync(`${top}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ts$/.test(path) && !/\.spec\.|\/testing\//.test(path))
    .map((path) => `${folder}/${path}`),
)

/** Commands of Foldscan in code spans and blocks, with the flags that stand behind them. */
function mentionsIn(text: string): { words: string; flags: string[] }[] {
  const code = [...text.matchAll(/`([^`]+)`|^ {4,}(.+)$/gm)].map((hit) => hit[1] ?? hit[2] ?? '')
  return code.flatMap((span) =>
    [...span.matchAll(/\bfoldscan(?:\.mjs| --)? ([a-z][a-z-]*(?: [a-z][a-z-]*)?)([^`#\n]*)/g)].map(
      (hit) => ({
        words: hit[1] ?? '',
        flags: [...(hit[2] ?? '').matchAll(/ --([a-z-]+)/g)].map((flag) => flag[1] ?? ''),
      }),
    ),
  )
}

/** What is wrong about a command that a text recommends; null if it exists. */
function complaint({ words, flags }: { words: string; flags: string[] }): string | null {
  const [first = ''] = words.split(' ')
  const name =
    commandNames.find((each) => each === words) ?? commandNames.find((each) => each === first)
  if (name === undefined)
    return first in commandFamilies && words === first ? null : `no command ${words}`
  const taken = settingsTakenBy(name).map(([key]) => settingName(key))
  const unknown = flags.find((flag) => !taken.includes(flag) && flag !== 'help')
  return unknown === undefined ? null : `${name} has no flag --${unknown}`
}

describe('a command that a text recommends', () => {
  const complaintsIn = (path: string) =>
    mentionsIn(readFileSync(top + path, 'utf8'))
      .map(complaint)
      .filter((found) => found !== null)
      .map((found) => `${path}: ${found}`)

  it.each(pages)('exists, with its flags, in %s', (page) => {
    expect(complaintsIn(page)).toEqual([])
  })

  it('exists, with its flags, in messages and comments', () => {
    expect(sources.flatMap(complaintsIn)).toEqual([])
  })

  it('is found in all forms, and complained of', () => {
    const text = [
      'run `foldscan lagg` or `npx foldscan repair --form 5`, then',
      '    node services/cli/foldscan.mjs topics make',
      'but `foldscan topics create` and `npx foldscan lag --watch` are fine',
    ].join('\n')
    expect(mentionsIn(text).map(complaint)).toEqual([
      'no command lagg',
      'repair has no flag --form',
      'no command topics make',
      null,
      null,
    ])
  })
})
