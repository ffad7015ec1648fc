import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import type { AbiEntry } from '../libs/chain/abi-entry.ts'
import type { Block } from '../libs/chain/block.ts'
import { decodedEvent, decodedInput } from '../libs/presenters/abi/decoded.ts'
import { entryOfFact, signatureFact } from '../libs/topics/facts/signature-facts.ts'
import { importSignatures } from '../services/cli/operate/import/import-abis.ts'
import { readText } from '../services/cli/operate/import/read-import.ts'
import { assembledMainnet } from './support/assembled-mainnet.ts'
import { consecutiveBlocks, singleBlocks } from './support/mainnet-block.ts'

const file = 'mainnet/signatures.csv'
const text = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8')
const { facts, faults } = readText(importSignatures, { file, text }, { time: 1, chainId: null })

const imported = new Map<string, AbiEntry[]>()
for (const { message } of facts) {
  const fact = signatureFact.parse(message)
  const entry = entryOfFact(fact)
  if (entry !== null) imported.set(fact.selector, [...(imported.get(fact.selector) ?? []), entry])
}
const said = (selector: string) => ({ own: [], wellKnown: imported.get(selector) ?? [] })

let blocks: readonly Block[]
beforeAll(async () => {
  blocks = await Promise.all([...consecutiveBlocks, ...singleBlocks].map(assembledMainnet))
})

/** How many of all are decoded by what is built in, and by what is imported besides. */
interface Share {
  readonly all: number
  readonly before: number
  readonly after: number
}

function shareOf<T>(all: readonly T[], isDecoded: (one: T, withImport: boolean) => boolean): Share {
  const count = (withImport: boolean) => all.filter((one) => isDecoded(one, withImport)).length
  return { all: all.length, before: count(false), after: count(true) }
}

const printed = (what: string, { all, before, after }: Share) => {
  const percent = (count: number) => `${((100 * count) / all).toFixed(1)} %`
  process.stdout.write(
    `${what} of real blocks decoded: ${percent(before)} (${before} of ${all}) built in, ` +
      `${percent(after)} (${after}) with imported signatures\n`,
  )
}

test('every signature of the list can be imported', () => {
  expect(faults).toEqual([])
  expect(imported.size).toBeGreaterThan(700)
})

test('more logs of real blocks are decoded once signatures are imported', () => {
  const logs = blocks.flatMap((block) => block.transactions.flatMap((one) => one.logs))
  const share = shareOf(logs, ({ topics, data }, withImport) => {
    const known = withImport ? said(topics[0] ?? '') : undefined
    return decodedEvent(topics, data, known) !== null
  })
  printed('logs', share)
  expect(share).toEqual({ all: 7_509, before: 6_436, after: 7_023 })
})

test('more inputs of real blocks are decoded once signatures are imported', () => {
  const inputs = blocks.flatMap((block) =>
    block.transactions.flatMap(({ to, input }) =>
      to === null || input.length < 10 ? [] : [input],
    ),
  )
  const share = shareOf(inputs, (input, withImport) => {
    const known = withImport ? said(input.slice(0, 10)) : undefined
    return decodedInput(input, known) !== null
  })
  printed('inputs', share)
  expect(share).toEqual({ all: 2_377, before: 1_558, after: 1_829 })
})

test('what is built in is decoded as before: imported signatures come after it', () => {
  for (const { transactions } of blocks) {
    for (const { topics, data } of transactions.flatMap(({ logs }) => logs)) {
      const before = decodedEvent(topics, data)
      if (before === null) continue
      const after = decodedEvent(topics, data, said(topics[0] ?? ''))
      expect(after?.method_call.split('(')[0]).toBe(before.method_call.split('(')[0])
    }
  }
})
