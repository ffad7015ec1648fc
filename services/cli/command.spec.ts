import { afterEach, expect, it, vi } from 'vitest'
import { command } from './command.ts'

const wasTerminal = process.stdout.isTTY
afterEach(() => {
  vi.restoreAllMocks()
  process.stdout.isTTY = wasTerminal
})

it.each([
  { isTTY: true, shown: ['hello demo\n', 'loaded'] },
  { isTTY: false, shown: ['loaded'] },
])('greets a terminal before it loads anything: $isTTY', async ({ isTTY, shown }) => {
  const seen: string[] = []
  process.stdout.isTTY = isTTY
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => seen.push(String(text)) > 0)
  const greeting = ({ source }: { readonly source: string }) => `hello ${source}`
  const up = command('up', { kind: 'service', about: 'greets', greeting }, async () => {
    seen.push('loaded')
    return async () => 0
  })
  expect(await up.run({ flags: {}, environment: {} }, [])).toBe(0)
  expect(seen).toEqual(shown)
})
