import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lmdbStateStore, stateFileName } from '../libs/adapters/lmdb/lmdb-state-store.ts'
import { mapEnvironment } from '../libs/adapters/lmdb/open-environment.ts'
import { type Address, address, hex } from '../libs/chain/hex.ts'
import { pauses } from '../libs/chain/pauses.ts'
import type { StateStore } from '../libs/ports/state-store.ts'
import {
  type Balance,
  balanceEntity,
  balanceEntityId,
} from '../libs/projections/entities/balance.ts'
import { transferTopic } from '../libs/projections/ledger/transfers.ts'
import { stateGroup } from '../libs/projections/state/state-group.ts'
import type { BlockApplied } from '../libs/topics/blocks.ts'
import { newestCopy, restoreCopy, takeCopy } from '../services/projector/copies.ts'
import { emptyPrefix } from '../services/projector/log-identity/log-prefix.ts'
import { fold } from '../services/projector/loop/fold.ts'
import { projectorLimits } from '../services/projector/loop/limits.ts'
import { beginning } from '../services/projector/volume/checkpoint.ts'
import {
  beginCommit,
  endCommit,
  type GroupState,
  groupStateAt,
} from '../services/projector/volume/group-state.ts'
import { entityKey } from '../services/projector/volume/state-keys.ts'
import { benchmark } from './benchmark.ts'
import {
  accountAt,
  appliedBlock,
  tokensOf,
  topicOf,
  transactionAt,
  unremarkable,
} from './generated-chain.ts'
import { type Figure, figureOf } from './report/result.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

const run = promisify(execFile)

const seed = 1
const tokensCount = 100
const transfersPerBlock = 400
const blocksPerCommit = 10
const entriesPerTransaction = 50_000
/** What each pair holds before the first block. */
const held = 10n ** 18n

const tokens = tokensOf(tokensCount)
const creator = accountAt(0)

/** The holder of a token at a place of `count`: ascending, and spread as hashes are. */
function holderAt(place: number, count: number): Address {
  const begin = ((BigInt(place) << 64n) / BigInt(count)).toString(16).padStart(16, '0')
  return address(`0x${begin}${(place * 2_654_435_761).toString(16).padStart(24, '7').slice(-24)}`)
}

const filled: Balance = {
  value: held,
  isKnown: true,
  owned: 0,
  asOf: 0,
  standard: 'ERC-20',
  isUnlisted: false,
  deviates: false,
  observedAt: 0,
  ordinal: 1,
  knownFrom: 0,
}

/** Writes the pairs of all tokens, ascending, so that pages are as full as they can be. */
async function fill(folder: string, holders: number): Promise<void> {
  const file = mapEnvironment(join(folder, stateFileName), {
    compression: false,
    isDisposable: true,
  })
  const value = balanceEntity.encode(filled)
  for (const token of [...tokens].sort()) {
    for (let from = 0; from < holders; from += entriesPerTransaction) {
      await file.transaction(() => {
        const to = Math.min(holders, from + entriesPerTransaction)
        for (let place = from; place < to; place++) {
          const id = balanceEntityId({ token, holder: holderAt(place, holders), tokenId: null })
          void file.put(entityKey(balanceEntity.tag, id), value)
        }
      })
    }
  }
  await file.close()
}

const plain = {
  ...unremarkable,
  from: creator,
  to: null,
  input: '0x',
  gasLimit: 120_000n,
  gasUsed: 60_000n,
  gasPrice: 20_000_000_000n,
  logs: [],
} as const

/** Creates the tokens: from then on transfers explain their balances. */
const firstBlock = (): BlockApplied =>
  appliedBlock(1, {
    transactions: tokens.map((createdContract, index) => ({
      ...plain,
      hash: transactionAt(1, index),
      index,
      nonce: index,
      createdContract,
    })),
    tokens: tokens.map((token) => ({
      address: token,
      standard: null,
      name: 'Token',
      symbol: 'T',
      decimals: 18,
      totalSupply: null,
      block: 1,
    })),
  })

/** What transfers add to pairs, by their ids. */
type Moved = Map<string, bigint>

function transfersBlock(number: number, { holders, random, moved }: Moving): BlockApplied {
  const index = 0
  const logs = Array.from({ length: transfersPerBlock }, (_, at) => {
    const token = tokens[random.below(tokensCount)] ?? creator
    const [from, to] = [
      holderAt(random.below(holders), holders),
      holderAt(random.below(holders), holders),
    ]
    for (const [holder, sign] of [
      [from, -1n],
      [to, 1n],
    ] as const) {
      const id = balanceEntityId({ token, holder, tokenId: null })
      moved.set(id, (moved.get(id) ?? 0n) + sign)
    }
    const topics = [transferTopic, topicOf(from), topicOf(to)]
    return { address: token, topics, data: hex(`0x${'1'.padStart(64, '0')}`), index: at }
  })
  const transaction = {
    ...plain,
    hash: transactionAt(number, index),
    index,
    nonce: number,
    logs,
  }
  return appliedBlock(number, { transactions: [transaction], tokens: [] })
}

interface Moving {
  readonly holders: number
  readonly random: SeededRandom
  readonly moved: Moved
}

/**
 * Folds blocks and commits them, one commit at a time while the next blocks are folded, as a
 * projector does. @returns transfers a second; not counted is the time of `before`, which is called
 * before each block, once nothing is committed any more
 */
async function foldBlocks(
  { at, store }: { readonly at: GroupState; readonly store: StateStore },
  blocks: readonly BlockApplied[],
  before?: () => Promise<unknown>,
): Promise<number> {
  const pause = pauses()
  let committing: Promise<void> = Promise.resolve()
  let spentMs = 0
  const commit = async () => {
    await committing
    const { writes } = beginCommit(at)
    committing = store.commit(writes).then(() => endCommit(at))
    committing.catch(() => {})
  }
  for (const [done, message] of blocks.entries()) {
    const waitedAt = performance.now()
    if (before !== undefined) {
      await committing
      spentMs += performance.now() - waitedAt
      await before()
    }
    const startedAt = performance.now()
    const place = { offset: message.sequence - 1, wireBytes: 0, whole: null, hash: emptyPrefix }
    const folded = await fold(stateGroup, at, { read: { ...place, decoded: { message } }, pause })
    if (folded.fate !== 'accepted') throw new Error(`block ${message.block.number} was skipped`)
    for (const _ of folded.rows) await pause()
    const isLast = done + 1 === blocks.length
    if ((done + 1) % blocksPerCommit === 0 || isLast) await commit()
    if (isLast) await committing
    spentMs += performance.now() - startedAt
  }
  return (blocks.length * transfersPerBlock * 1_000) / spentMs
}

/** Every pair that was moved holds what its transfers add up to. @returns how many */
function assertMoved(state: StateStore, moved: Moved): number {
  for (const [id, sum] of moved) {
    const bytes = state.get(entityKey(balanceEntity.tag, id))
    const value = bytes && balanceEntity.decode(bytes).value
    if (value !== held + sum) throw new Error(`pair ${id} holds ${value}, not ${held + sum}`)
  }
  return moved.size
}

/** The system keeps none of the file's pages. */
const dropPages = (file: string) =>
  run('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'of=/dev/null'])
const readPages = (file: string) => run('dd', [`if=${file}`, 'bs=16M', 'of=/dev/null'])

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1_000
}

/** Copies the volume, and makes one of the copy, each with none of it in the page cache. */
async function measureCopy(folder: string, moved: Moved): Promise<readonly Figure[]> {
  const file = join(folder, stateFileName)
  const [plain, copies, restored] = ['plain', 'copies', 'restored'].map((name) =>
    join(folder, name),
  )
  await dropPages(file)
  const values = [
    await secondsOf(() => run('dd', [`if=${file}`, `of=${plain}`, 'bs=16M', 'conv=fsync'])),
  ]
  await run('rm', [String(plain)])
  await dropPages(file)
  const of = { folder: String(copies), at: Date.now() }
  const taking = await secondsOf(() => takeCopy(folder, of))
  const copy = await newestCopy(of.folder)
  if (copy === null) throw new Error('nothing was copied')
  await dropPages(join(copy.path, stateFileName))
  const restoring = await secondsOf(() => restoreCopy(copy, String(restored)))
  const again = lmdbStateStore({ folder: String(restored) })
  const checkedAnswers = assertMoved(again, moved)
  await again.close()
  const baseline = { part: 'dd of the file, with sync', values }
  const measured = { unit: 's', baseline, checkedAnswers }
  return [
    figureOf({ name: 'copy of the volume', values: [taking], ...measured }),
    figureOf({ name: 'volume from its copy', values: [restoring], ...measured }),
  ]
}

export const state = benchmark({
  name: 'state',
  about: 'folding into a state whose pages are on the disk, compared with one in memory',
  method:
    'A volume has so many balances, written in order. Blocks of 400 transfers between random ' +
    'holders of 100 tokens are folded by group state and committed, ten blocks at a time; rows ' +
    'are made and dropped. First with all of the file in the page cache, then with none of it ' +
    'before each block, as dd with nocache drops it. Every balance that was moved is compared with ' +
    'its sum. Then the volume is copied, and a new one is made from the copy and compared again.',
  limits:
    'Within a block the page cache grows again, and pages that this process has mapped stay. Random holders are the worst case: on a real chain ' +
    'most of what a block moves was moved a little before. No log, no ClickHouse beside it.',
  seed,
  needs: 'engine',
  sizes: {
    entities: { about: 'balances in the volume', full: 20_000_000, quick: 20_000 },
    transfers: { about: 'of each part', full: 20_000, quick: 4_000 },
  },
  async run({ entities, transfers }, { workspace: opened, progress }) {
    const workspace = await opened()
    const folder = await workspace.folder('state')
    const file = join(folder, stateFileName)
    const holders = Math.floor(entities / tokensCount)
    await fill(folder, holders)
    progress(`${entities} balances, ${statSync(file).size} bytes`)
    const store = lmdbStateStore({ folder })
    const checkpoint = beginning(0)
    const { entitiesCachedMax } = projectorLimits
    const at = groupStateAt(stateGroup, store, { checkpoint, entitiesCachedMax })
    const moving = { holders, random: seededRandom(seed), moved: new Map<string, bigint>() }
    const count = Math.ceil(transfers / transfersPerBlock)
    let next = 2
    const blocks = () => Array.from({ length: count }, () => transfersBlock(next++, moving))
    await foldBlocks({ at, store }, [firstBlock()])
    await readPages(file)
    const warm = await foldBlocks({ at, store }, blocks())
    const cold = await foldBlocks({ at, store }, blocks(), () => dropPages(file))
    const checkedAnswers = assertMoved(store, moving.moved)
    await store.close()
    const copies = await measureCopy(folder, moving.moved)
    return [
      ...copies,
      figureOf({
        name: 'cold, of warm',
        unit: 'transfers/s',
        values: [cold],
        baseline: { part: 'all in the page cache', values: [warm] },
        goal: { of: 'value', bound: 'at least', limit: 5_000 },
        checkedAnswers,
      }),
    ]
  },
})
