import { readFileSync } from 'node:fs'
import type { Command as Commander } from 'commander'
import { describe, expect, it } from 'vitest'
import {
  environmentName,
  fileName,
  readSettings,
  type SettingInputs,
  settingName,
} from '../../libs/settings/read-settings.ts'
import { type CommandName, commandNames } from '../../libs/settings/setting.ts'
import { settingsTakenBy } from '../../libs/settings/settings.ts'
import { version } from '../../libs/signals/version.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { program, withBooleanValues } from './program.ts'

interface Called {
  readonly name: CommandName
  readonly inputs: SettingInputs
  readonly words: readonly string[]
}

/** The real parser and help; commands only note what they are called with. */
function recording() {
  const calls: Called[] = []
  const noting = (command: Command): Command => ({
    ...command,
    run: async (inputs, words) => {
      calls.push({ name: command.name, inputs, words })
      return 0
    },
  })
  const parser = program({ commands: commands.map(noting), environment: {}, onExit: () => {} })
  return { parser, calls }
}

/** What the command is called with for these words. @throws what the parser complains of */
async function called(...words: readonly string[]): Promise<Called> {
  const { parser, calls } = recording()
  await parser.parseAsync(withBooleanValues(words), { from: 'user' })
  const [call] = calls
  if (call === undefined || calls.length > 1) throw new Error(`${calls.length} commands were run`)
  return call
}

function helpOf(name: CommandName): string {
  let found: Commander = recording().parser
  for (const word of name.split(' ')) {
    found = found.commands.find((each) => each.name() === word) ?? found
  }
  let text = ''
  found.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 1_000 })
  found.outputHelp()
  return text
}

/** By flag, its value and what help says of it; `--help` itself left out. */
function flagsIn(help: string): Map<string, { value: string; about: string }> {
  const entries = help.matchAll(/^ {2}(--[a-z-]+)(?: <([^>]+)>)?(?:\n {8}| {2,})(\S.*)$/gm)
  const found = new Map<string, { value: string; about: string }>()
  for (const [, flag = '', value = '', about = ''] of entries) found.set(flag, { value, about })
  found.delete('--help')
  return found
}

const withFlag = (name: CommandName) =>
  settingsTakenBy(name).filter(([, { row }]) => row.form !== 'secret')

/** A value that the setting accepts, other than its default where there is a choice. */
function validValue(bounds: string, unit: string): string {
  const range = /^(\d+)(?: \.\.| or more)/.exec(bounds)
  if (range) return range[1] ?? ''
  if (['group', 'level', 'mechanism', 'mode'].includes(unit)) {
    return bounds.split(', ').at(-1) ?? ''
  }
  if (bounds.includes('10.0.0.0/8')) return '10.0.0.0/8'
  if (unit === 'address') return `0x${'ab'.repeat(20)}`
  return unit === 'url' ? 'http://127.0.0.1:1' : 'word'
}

const requiredOf = (name: CommandName): Record<string, string> =>
  Object.fromEntries(
    settingsTakenBy(name)
      .filter(([, { row }]) => row.requiredBy.includes(name))
      .map(([key, { row }]) => [key, validValue(row.bounds, row.unit)]),
  )

const wordsOf = ({ words }: Command) => words.map(({ name }) => name)

describe('the parser', () => {
  it('knows every command, and its kind of output', () => {
    expect(commands.map(({ name }) => name).sort()).toEqual([...commandNames].sort())
  })

  it.each(commands)('hands every flag of $name on, as it was given', async (command) => {
    const flags: Record<string, string> = {}
    for (const [key, { row }] of withFlag(command.name)) {
      flags[key] = row.form === 'flag' ? 'true' : validValue(row.bounds, row.unit)
    }
    const given = Object.entries(flags).flatMap(([key, value]) => {
      const flag = `--${settingName(key)}`
      return value === 'true' ? [flag] : [flag, value]
    })
    const words = wordsOf(command)
    const call = await called(...command.name.split(' '), ...given, ...words)
    expect(call).toMatchObject({ name: command.name, words })
    expect(call.inputs.flags).toEqual(flags)
    expect(() => readSettings(command.name, call.inputs)).not.toThrow()
  })

  it.each(commands)('reads booleans of $name as --flag and --flag=false', async (command) => {
    const booleans = withFlag(command.name).filter(([, { row }]) => row.form === 'flag')
    for (const [key] of booleans) {
      for (const [form, expected] of [
        ['', true],
        ['=true', true],
        ['=false', false],
      ] as const) {
        const word = `--${settingName(key)}${form}`
        const { inputs } = await called(...command.name.split(' '), word, ...wordsOf(command))
        const flags = { ...requiredOf(command.name), ...inputs.flags }
        const read = readSettings(command.name, { ...inputs, flags })
        const settings: readonly (readonly [string, unknown])[] = Object.entries(read)
        expect(settings, word).toContainEqual([key, expected])
      }
    }
  })

  it('does not take the next word for the value of a boolean', async () => {
    expect(await called('topics', 'create', '--json')).toMatchObject({ name: 'topics create' })
    await expect(called('up', '--allow-gaps', 'yes')).rejects.toThrow('too many arguments')
  })

  it.each([
    [['up', '--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
    [['up', '--kafka-brokers', 'a:1'], "unknown option '--kafka-brokers'"],
    [['lga'], "unknown command 'lga'\n(Did you mean lag?)"],
    [['topics', 'schema'], "missing required argument 'topic'"],
  ])('refuses %s', async (words, complaint) => {
    await expect(called(...words)).rejects.toThrow(complaint)
  })

  it('prints its version', async () => {
    const { parser } = recording()
    let text = ''
    parser.configureOutput({ writeOut: (part) => (text += part) })
    await expect(parser.parseAsync(['--version'], { from: 'user' })).rejects.toThrow(version)
    expect(text).toBe(`${version}\n`)
  })
})

describe('the help', () => {
  it.each(commands)('of $name shows the settings that it takes, no others', ({ name }) => {
    const flags = flagsIn(helpOf(name))
    const expected = withFlag(name).map(([key]) => `--${settingName(key)}`)
    expect([...flags.keys()].sort()).toEqual(expected.sort())
    for (const [key, { row }] of withFlag(name)) {
      const { value, about } = flags.get(`--${settingName(key)}`) ?? { value: '', about: '' }
      expect(value, key).toBe(row.unit)
      expect(about, key).toContain(row.why)
      expect(about, key).toContain(environmentName(key))
      if (row.form === 'flag') continue
      expect(about, key).toContain(row.bounds.replaceAll('`', ''))
      const isRequired = row.requiredBy.includes(name)
      expect(about.includes('(required;'), key).toBe(isRequired)
      if (row.default && !isRequired) expect(about, key).toContain(`(default ${row.default};`)
    }
  })

  it.each(commands)("of $name shows the command's own flags first", ({ name }) => {
    const headings: readonly string[] = helpOf(name).match(/^[A-Z]\w+(?: only)?:$/gm) ?? []
    const order = ['Options:', 'Source:', 'Kafka:', 'ClickHouse:', 'Redis:', 'Environment only:']
    expect(headings).toEqual(order.filter((heading) => headings.includes(heading)))
  })

  it.each(commands)('of $name shows secrets as variables only', ({ name }) => {
    const help = helpOf(name)
    for (const [key, { row }] of settingsTakenBy(name)) {
      if (row.form !== 'secret') continue
      expect(help).not.toContain(`--${settingName(key)}`)
      expect(help).toContain(`  ${environmentName(key)}\n`)
      expect(help).toContain(fileName(key))
    }
    const [, variables = ''] = help.split('Environment only:')
    expect(variables.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

describe('a number', () => {
  const numbers = commandNames.flatMap((name) =>
    withFlag(name).flatMap(([key, { row }]) => {
      const [, min, max] = /^(\d+)(?: \.\. (\d+)| or more)$/.exec(row.bounds) ?? []
      return min === undefined ? [] : [{ name, key, min: Number(min), max: Number(max ?? 0) }]
    }),
  )
  const reading = (name: CommandName, key: string, value: number) => () =>
    readSettings(name, { flags: { ...requiredOf(name), [key]: `${value}` }, environment: {} })

  it.each(numbers)('$key of $name is refused outside of the bounds that help shows', (number) => {
    const { name, key, min, max } = number
    expect(reading(name, key, min)).not.toThrow()
    if (min > 0) expect(reading(name, key, min - 1)).toThrow(`is below ${min}`)
    if (max === 0) return
    expect(reading(name, key, max)).not.toThrow()
    expect(reading(name, key, max + 1)).toThrow(`is above ${max}`)
  })
})

describe('the pages of settings and commands', () => {
  const page = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const settingsPage = page('deploy/SETTINGS.md')
  const commandsPage = page('deploy/OPERATE.md')
  const classes = new Map(
    [...settingsPage.matchAll(/^\| ([a-z]+) \| (.+) \|$/gm)].map(
      ([, name = '', list = '']): [string, string] => [name, list],
    ),
  )
  const lines = [...settingsPage.matchAll(/^\| `(?:--([a-z-]+)`<br>`)?FOLDSCAN_.*$/gm)]
  const rows = lines.map((hit) => {
    const [, , unit = '', preset = '', bounds = '', takers = ''] = hit[0].split(/(?<!\\) ?\| ?/)
    return { flag: hit[1] && `--${hit[1]}`, unit, preset, bounds, takers }
  })

  /** A class of commands, or their names: `topics (create, check), lag` names three. */
  function takes(word: string, name: CommandName): boolean {
    const takers = classes.get(word) ?? word
    const [first = '', second] = name.split(' ')
    const [, listed] = new RegExp(`(?:^|, )${first}(?: \\(([^)]+)\\))?(?=,|$)`).exec(takers) ?? []
    const isThere = new RegExp(`(?:^|, )${first}(?: \\(|,|$)`).test(takers)
    if (takers === 'every command') return true
    return isThere && (second === undefined || !listed || listed.split(', ').includes(second))
  }

  it.each(commands)('shows the flags of $name as its help does', ({ name }) => {
    const shown = rows.filter(({ flag, takers }) => flag && takes(takers, name))
    const help = flagsIn(helpOf(name))
    expect(shown.map(({ flag }) => flag).sort()).toEqual([...help.keys()].sort())
    for (const { flag, unit, preset, bounds } of shown) {
      const { value, about } = help.get(flag ?? '') ?? { value: '', about: '' }
      expect(unit, flag).toBe(value || '-')
      const byDefault = /^`([^`]+)`/.exec(preset)?.[1]
      const isRequired = about.includes('(required;')
      if (value && byDefault && !isRequired) expect(about).toContain(`(default ${byDefault};`)
      if (value) expect(about, flag).toContain(bounds.replaceAll('`', ''))
    }
  })

  it.each(commands)('lists $name', ({ name, about }) => {
    const line = commandsPage.split('\n').find((each) => each.startsWith(`| \`foldscan ${name}`))
    expect(line).toContain(about)
    for (const [key, { row }] of settingsTakenBy(name)) {
      if (!row.requiredBy.includes(name)) continue
      expect(line).toContain(`--${settingName(key)} <${row.unit}>`)
    }
  })
})
