import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { position } from '../libs/chain/position.ts'
import { DecodeBudget } from '../libs/presenters/abi/decode-budget.ts'
import { noAddressFacts, noTokenFacts } from '../libs/presenters/facts.ts'
import type { Lookups } from '../libs/presenters/lookups.ts'
import type { ExecutedTransaction } from '../libs/presenters/summary/executed-transaction.ts'
import { readingsOf, summaryObject } from '../libs/presenters/summary/summary.ts'
import { lookupsOf } from '../libs/presenters/testing/lookups.ts'
import { rendered } from '../libs/presenters/testing/rendered.ts'
import { assembledMainnet } from './support/assembled-mainnet.ts'
import { executedOf } from './support/executed-mainnet.ts'
import { consecutiveBlocks, singleBlocks } from './support/mainnet-block.ts'

const mainnet = 1
const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Symbols, decimals and public labels, as others published them. */
const names = z
  .object({
    tokens: z.record(z.string(), z.object({ symbol: z.string(), decimals: z.int().nullable() })),
    labels: z.record(z.string(), z.object({ name: z.string(), labels: z.array(z.string()) })),
  })
  .parse(JSON.parse(textOf('./mainnet/truth/names.json')))

const tag = (tagType: string) => (name: string) => ({
  slug: name.toLowerCase(),
  name,
  tagType,
  ordinal: 0,
  meta: {},
})

/** All that is known where the transaction happened: its tokens by their transfers. */
function knownOf({ transfers }: ExecutedTransaction): Lookups {
  const standards = new Map(transfers.map(({ token, form }) => [token, form]))
  return {
    ...lookupsOf(),
    token(token) {
      const named = names.tokens[token]
      const standard = standards.get(token)
      if (named === undefined && standard === undefined) return null
      const state = {
        token,
        standard: standard ?? 0,
        ordinal: 1,
        name: null,
        symbol: named?.symbol ?? null,
        decimals: named?.decimals ?? null,
        totalSupply: null,
        holdersCount: null,
        isComplete: false,
        shownSince: 0,
        position: position(1),
        isDeleted: 0,
      }
      return { state, facts: noTokenFacts }
    },
    address(at) {
      const label = names.labels[at]
      const tags = label ? [tag('name')(label.name), ...label.labels.map(tag('generic'))] : []
      return { state: null, facts: { ...noAddressFacts, tags } }
    },
  }
}

const summariesOf = (executed: ExecutedTransaction): readonly string[] | null =>
  summaryObject(executed, readingsOf(executed, new DecodeBudget()), {
    lookups: knownOf(executed),
    chainId: mainnet,
  })?.data.summaries.map(rendered) ?? null

/** Of `./mainnet/summaries.md`: a sentence for each transaction that people judged. */
const judged = [...textOf('./mainnet/summaries.md').matchAll(/^\| (0x[0-9a-f]{64}) \| (.+?) \|/gm)]

let transactions: ReadonlyMap<string, ExecutedTransaction>
beforeAll(async () => {
  const blocks = await Promise.all([...consecutiveBlocks, ...singleBlocks].map(assembledMainnet))
  transactions = new Map(
    blocks.flatMap((block) =>
      block.transactions.map((one) => [one.hash, executedOf(block, one)] as const),
    ),
  )
})

test('forty and more real transactions read as people judged them', () => {
  expect(judged.length).toBeGreaterThanOrEqual(40)
  const lines = judged.map(([, hash = '', sentence = '']) => `${hash} ${sentence}`)
  const ours = judged.map(([, hash = '']) => {
    const executed = transactions.get(hash)
    return `${hash} ${executed && summariesOf(executed)?.[0]}`
  })

  expect(ours).toEqual(lines)
})

const poolSwaps = new Set([
  '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
])

test('a swap on a pool is never summarised as a transfer', () => {
  const swappers = [...transactions.values()].filter(
    ({ transaction, logs }) =>
      transaction.status === 1 && logs.some(({ topics: [topic = ''] }) => poolSwaps.has(topic)),
  )
  expect(swappers.length).toBeGreaterThan(500)
  const wrong = swappers.filter((executed) => summariesOf(executed)?.[0]?.startsWith('Transferred'))
  expect(wrong.map(({ transaction }) => transaction.hash)).toEqual([])
})

test('no summary names an address that took no part', () => {
  for (const executed of transactions.values()) {
    const { transaction, transfers, logs } = executed
    const parties = new Set<string>([transaction.from])
    for (const party of [transaction.to, transaction.createdContract]) if (party) parties.add(party)
    for (const { from, to } of transfers) parties.add(from).add(to)
    for (const { address: emitter, topics } of logs) {
      parties.add(emitter)
      for (const topic of topics) parties.add(`0x${topic.slice(26)}`)
    }
    for (const reading of readingsOf(executed, new DecodeBudget())) {
      for (const part of reading.parts) {
        if (typeof part !== 'string' && 'address' in part)
          expect(parties).toContain(part.address[1])
      }
    }
  }
})
