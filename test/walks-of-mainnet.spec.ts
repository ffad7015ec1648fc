import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderSource } from '../libs/adapters/folder/folder-source.ts'
import type { Block } from '../libs/chain/block.ts'
import type { Address } from '../libs/chain/hex.ts'
import { position } from '../libs/chain/position.ts'
import { type BlocksMessage, blocksVersion } from '../libs/topics/blocks.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { checkAnswers } from './oracle/check.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { forked } from './oracle/forked.ts'
import { knowledgeOf } from './oracle/knowledge.ts'
import { scope, seed, walksTimeoutMs } from './oracle/scope.ts'
import { consecutiveBlocks } from './support/mainnet-block.ts'
import { mainnetFolder, truthBalances } from './support/mainnet-truth.ts'
import { runLength } from './support/run-length.ts'

const chainId = 1
const depths = runLength.mainnetForkDepths
let embedded: EmbeddedServices
let chain: Block[] = []
/** Addresses that the blocks prove to have code, by block number. */
const proofs = new Map<number, readonly Address[]>()
const published: BlocksMessage[] = []

beforeAll(async () => {
  embedded = await startEmbedded(chainId)
  const source = await folderSource({ folder: mainnetFolder })
  const blocks = await Promise.all(consecutiveBlocks.map((number) => source.block(number)))
  await source.close()
  chain = blocks.flatMap((block) => {
    if (!block) return []
    const { contracts, ...rest } = block
    proofs.set(rest.number, contracts)
    return rest
  })
})

afterAll(() => embedded.stop())

/** A fork keeps the claims: what was called with more gas than a payment needs has code. */
const claimsOf = ({ number }: Block) => ({ tokens: [], contracts: proofs.get(number) ?? [] })

type Unnumbered<M> = M extends BlocksMessage ? Omit<M, 'version' | 'sequence' | 'chainId'> : never

async function publish(message: Unnumbered<BlocksMessage>): Promise<void> {
  const sequence = position(published.length + 1)
  const whole = { ...message, version: blocksVersion, sequence, chainId }
  published.push(whole)
  await embedded.eventLog.append('blocks', [{ key: `${chainId}`, value: encodeMessage(whole) }])
}

async function expectRightAnswers(nth: number): Promise<void> {
  await embedded.reached(published.length, chain.at(-1)?.number ?? 0)
  const known = knowledgeOf(published)
  const round = { seed, nth, last: depths.length }
  const checked = await checkAnswers(embedded.get, known, { ...scope, round })
  expect(checked.differences, `seed ${seed}`).toEqual([])
  expect(checked.items).toBeGreaterThan(1_000)
}

/**
 * The first balance that the truth has of each pair, as a node would have reported it before;
 * not of contracts that were created later.
 */
function balancesBefore() {
  const created = new Set<string | null>(
    chain.flatMap(({ transactions }) => transactions.map((one) => one.createdContract)),
  )
  const pairs = new Map<string, ReturnType<typeof truthBalances>[number]>()
  for (const one of truthBalances()) {
    const key = `${one.token} ${one.holder}`
    const known = pairs.get(key)
    if (created.has(one.token)) continue
    if (known === undefined || one.blockNumber < known.blockNumber) pairs.set(key, one)
  }
  return [...pairs.values()].map(({ token, holder, before }) => ({
    token,
    holder,
    tokenId: null,
    value: before,
  }))
}

test(
  'every list of the real blocks is what the contract says',
  async () => {
    const [first] = chain
    if (!first) throw new Error('no blocks')
    await publish({
      kind: 'state.observed',
      block: first.number - 1,
      hash: first.parentHash,
      balances: balancesBefore(),
      supplies: [],
      owners: [],
      tokens: [],
    })
    for (const block of chain) await publish({ kind: 'block.applied', block, ...claimsOf(block) })
    await expectRightAnswers(0)
  },
  walksTimeoutMs,
)

test.each(depths.map((depth, n) => [depth, n + 1] as const))(
  'still so after a reorganisation of depth %i',
  async (depth, branch) => {
    const fork = forked(chain, depth, branch)
    for (const block of chain.slice(-depth).toReversed()) {
      await publish({ kind: 'block.reverted', block, ...claimsOf(block) })
    }
    for (const block of fork) await publish({ kind: 'block.applied', block, ...claimsOf(block) })
    chain = [...chain.slice(0, -depth), ...fork]
    await expectRightAnswers(branch)
  },
  walksTimeoutMs,
)
