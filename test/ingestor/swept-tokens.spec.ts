import { writeSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { Hash } from '../../libs/chain/hex.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { transfersOf } from '../../libs/projections/ledger/transfers.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { decodeBlocksMessage, encodeMessage } from '../../libs/topics/codec.ts'
import type { Ingestor } from '../../services/ingestor/running-ingestor.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { storedBlocks } from '../support/chain-in-log.ts'
import { runLength } from '../support/run-length.ts'
import { until } from '../support/until.ts'
import { deniedIn } from './denied-values.ts'
import { allSampled, OddChain, pairKey, type Truth } from './odd-chain.ts'
import { poorerNode, withoutStatesBelow } from './poorer-node.ts'

/** The fold of a log that grows. */
class FollowingFold {
  readonly runner = new InMemoryGroup(stateGroup)
  #accepted = nothingAccepted
  #standing: BlocksMessage[] = []
  #read = 0

  get head(): Hash | undefined {
    return this.#accepted.head?.hash
  }

  /** All that no fork has left. */
  get standing(): readonly BlocksMessage[] {
    return this.#standing
  }

  /** What the log holds since. */
  async follow(log: EventLog): Promise<void> {
    for (const { value, offset } of await storedBlocks(log, this.#read)) {
      this.#read = offset + 1
      const decoded = decodeBlocksMessage(value)
      if ('invalid' in decoded) throw new Error(decoded.invalid)
      const { message } = decoded
      const fate = accept(this.#accepted, message)
      if (fate.fate === 'skipped') throw new Error(fate.detail)
      this.#accepted = fate.next
      if (message.kind === 'block.reverted') this.#takeBack(message.block.hash)
      else {
        this.runner.fold([message])
        this.#standing.push(message)
      }
    }
  }

  #takeBack(orphan: Hash): void {
    const from = this.#standing.findLastIndex(
      (it) => it.kind === 'block.applied' && it.block.hash === orphan,
    )
    this.runner.takeBack(this.#standing.length - from)
    this.#standing = this.#standing.slice(0, from)
  }
}

const blocks = Math.ceil(runLength.oddTokenBlocks / 2)
/** After each of so many blocks a fork leaves one to three. */
const forkEvery = 7
const crowd = 500
/** Holders that nothing in the log names. */
const older = 200

let chain: OddChain
let node: Awaited<ReturnType<typeof poorerNode>>
let source: ChainSource
let ingestor: Ingestor
const eventLog = memoryEventLog()

beforeAll(async () => {
  chain = await OddChain.start()
  await chain.deploy()
  for (let times = 0; times < 10; times++) await chain.mine()
  await chain.mintToMany('plain', older)
  // All tokens are older than the log, and what was before it is not to be had.
  const first = (await chain.node.head()) + 1
  node = await poorerNode(chain.node.url, withoutStatesBelow(first - 1))
  source = await rpcSource({ url: node.url, limits: { retryMinMs: 1, pollIntervalMs: 20 } })
  ingestor = await startInMemory({ source, eventLog, fromBlock: first, limits: allSampled })
}, 120_000)
afterAll(async () => {
  await ingestor.stop()
  await source.close()
  node.close()
  await chain.stop()
})

const transfersIn = (messages: readonly BlocksMessage[]) =>
  messages.flatMap((it) =>
    it.kind === 'block.applied' ? it.block.transactions.flatMap(transfersOf) : [],
  )

/** Pairs that the log has moved, of which the node says that they have something. */
function heldIn(messages: readonly BlocksMessage[], truth: Truth): string[] {
  const moved = transfersIn(messages).flatMap(({ token, from, to }) => [
    ...[pairKey(token, from), pairKey(token, to)],
  ])
  return [...new Set(moved)].filter((pair) => (truth.balances.get(pair) ?? 0n) > 0n)
}

/** Ids that the log has moved, of which the node says an owner. */
function ownedIn(messages: readonly BlocksMessage[], truth: Truth): string[] {
  const moved = transfersIn(messages).map(({ token, tokenId }) => pairKey(token, `${tokenId}`))
  return [...new Set(moved)].filter((id) => (truth.owners.get(id) ?? null) !== null)
}

/** Without the positions, which a fork raises. */
const rowsIn = ({ tables }: InMemoryGroup) =>
  Object.entries(tables.all()).map(([name, rows]) => [
    name,
    rows.map((row) => ({ ...row, position: 0 })),
  ])

function namedMessage(pair: string) {
  const [token, holder] = pair.split(' ')
  return { key: pair, value: encodeMessage({ token, holder, tokenId: null }) }
}

const shownIn = ({ tables }: InMemoryGroup): Set<string> =>
  new Set(tables.rowsOf('holders').map((row) => pairKey(Object(row).token, Object(row).holder)))

const ownersShownIn = ({ tables }: InMemoryGroup): Set<string> =>
  new Set(
    tables.rowsOf('instances').flatMap((row) => {
      const { token, tokenId, owner } = Object(row)
      return owner === null ? [] : [pairKey(token, `${tokenId}`)]
    }),
  )

/** Of the values that the node has, those that are shown: for each token a line. */
function coverageOf(all: readonly string[], shown: ReadonlySet<string>): string[] {
  const byToken = new Map<string, string[]>()
  for (const key of all) {
    const name = chain.nameOf(key.split(' ')[0] ?? '')
    byToken.set(name, [...(byToken.get(name) ?? []), key])
  }
  return [...byToken].map(
    ([name, keys]) => `${name} ${keys.filter((key) => shown.has(key)).length}/${keys.length}`,
  )
}

it('fills a log that begins amid the chain, and shows nothing that the node denies', {
  timeout: 300_000,
}, async () => {
  const fold = new FollowingFold()
  const seen = async () => {
    const head = await chain.node.head()
    const hash = await chain.node.hash(head)
    await until('all is published', async () => {
      await fold.follow(eventLog)
      return fold.head === hash
    })
    const truth = await chain.truth()
    expect(deniedIn(fold.runner.tables, truth, chain), `block ${head}`).toEqual([])
    return truth
  }
  for (let mined = 1; mined <= blocks; mined++) {
    if (mined === Math.ceil(blocks / 2)) await chain.destroy('destroyed')
    await chain.mine()
    await seen()
    if (mined % forkEvery > 0) continue
    await chain.node.ask('anvil_rollback', [1 + ((mined / forkEvery) % 3)])
    await chain.mine()
    await chain.mine()
    await chain.mine()
    await chain.mine()
    await seen()
  }
  // More than the samples of some blocks hold.
  await chain.mintToMany('plain', crowd)
  await seen()
  await chain.moveIds()
  let truth = await seen()
  // What only the fold has seen is asked for on the next day.
  await chain.node.ask('evm_increaseTime', [86_400])
  for (let quiet = 0; quiet < 8; quiet++) {
    await chain.node.mine()
    truth = await seen()
  }
  const shown = shownIn(fold.runner)
  const held = heldIn(fold.standing, truth)
  const ownersShown = ownersShownIn(fold.runner)
  const owned = ownedIn(fold.standing, truth)
  writeSync(2, `balances shown: ${coverageOf(held, shown).join(', ')}\n`)
  writeSync(2, `owners shown: ${coverageOf(owned, ownersShown).join(', ')}\n`)
  expect(held.filter((pair) => !shown.has(pair))).toEqual([])
  expect(held.length).toBeGreaterThan(10 + crowd)
  expect(owned.filter((id) => !ownersShown.has(id))).toEqual([])
  const collections = new Set(owned.map((id) => chain.nameOf(id.split(' ')[0] ?? '')))
  expect([...collections].sort()).toEqual(['ids', 'idsInData', 'lyingIds', 'seizedIds'])
  // What the log has not moved somebody else has to name.
  const unnamed = [...truth.balances.keys()].filter((pair) => !held.includes(pair))
  const unshown = unnamed.filter((pair) => (truth.balances.get(pair) ?? 0n) > 0n)
  expect(unshown.filter((pair) => shown.has(pair))).toEqual([])
  expect(unshown.length).toBeGreaterThanOrEqual(older)
  await eventLog.append('holders', [...unshown, ...held.slice(0, 3)].map(namedMessage))
  for (let quiet = 0; quiet < 4; quiet++) {
    await chain.node.mine()
    truth = await seen()
  }
  const shownNow = shownIn(fold.runner)
  writeSync(2, `named holders shown: ${coverageOf(unshown, shownNow).join(', ')}\n`)
  expect(unshown.filter((pair) => !shownNow.has(pair))).toEqual([])
  // From the log alone, once more.
  const replay = new InMemoryGroup(stateGroup)
  replay.fold(fold.standing)
  expect(rowsIn(replay)).toEqual(rowsIn(fold.runner))
})
