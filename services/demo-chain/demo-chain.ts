import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { address } from '../../libs/chain/hex.ts'
import { startAnvil } from './anvil.ts'
import { chainOf } from './chain.ts'
import { type DemoChain, type DemoChainLog, demoChainId } from './demo-chain-port.ts'
import { type Journal, openJournal } from './journal.ts'
import { type JsonRpc, jsonRpc } from './json-rpc.ts'
import { liveChain } from './live-chain.ts'
import { producerAt } from './producer.ts'
import { setupBlocks } from './setup.ts'
import { isSnapshotDue, newestSnapshot, takeSnapshot } from './snapshot.ts'
import { type MiningProgress, type Story, secondsPerBlock, storyOf } from './story.ts'
import { worldOf } from './world.ts'

export interface DemoChainOptions {
  /** Keeps what is needed to make the same chain again; without it nothing stays. */
  readonly folder?: string
  /** Same seed and genesis time, same hashes. */
  readonly seed: number
  /** Between live blocks; null mines none by itself. */
  readonly blockIntervalMs: number | null
  /** Mined before the promise resolves, about. */
  readonly backlogTransactions: number
  /** Seconds since 1970; by default such that the backlog ends now. */
  readonly genesisTime?: number
  readonly log: DemoChainLog
  /**
   * Called with the URL of a new chain while its backlog is still being mined. Not called for one
   * that is made again: until that is done, its head lies below what was seen before.
   */
  readonly onOpen?: (url: string) => void
  readonly onMining?: (progress: MiningProgress) => void
}

const accountsCount = 40
/** About: so many of the backlog go into one block. */
const backlogPerBlock = 28

/** A chain on this machine with lively, varied, reproducible traffic. */
export async function startDemoChain(options: DemoChainOptions): Promise<DemoChain> {
  const { folder } = options
  if (folder !== undefined) return startIn(folder, options)
  const passing = mkdtempSync(join(tmpdir(), 'foldscan-demo-'))
  const forget = () => rmSync(passing, { recursive: true, force: true })
  try {
    const chain = await startIn(passing, options)
    return { ...chain, stop: () => chain.stop().finally(forget) }
  } catch (error) {
    forget()
    throw error
  }
}

async function startIn(folder: string, options: DemoChainOptions): Promise<DemoChain> {
  const backlogBlocks = setupBlocks + Math.ceil(options.backlogTransactions / backlogPerBlock)
  const genesisTime = options.genesisTime ?? nowSeconds() - backlogBlocks * secondsPerBlock
  mkdirSync(folder, { recursive: true })
  const journal = openJournal(folder, { seed: options.seed, genesisTime, backlogBlocks })
  const snapshot = newestSnapshot(folder, journal.entries)
  const anvil = await startAnvil({
    chainId: demoChainId,
    accounts: accountsCount,
    genesisTime: journal.header.genesisTime,
    cacheFolder: join(folder, 'anvil'),
    stateFile: snapshot?.file ?? null,
  })
  try {
    const held = snapshot?.entries ?? 0
    const story = await storyAt(jsonRpc(anvil.url), journal, snapshotsIn(folder, held, options.log))
    if (journal.entries.length === 0) options.onOpen?.(anvil.url)
    await story.catchUp(held, options.onMining)
    options.log.info({ head: story.head().number }, 'the demo chain is complete and goes live')
    return liveChain({ anvil, story, ...options })
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

type Keep = (rpc: JsonRpc, entries: number) => Promise<void>

async function storyAt(rpc: JsonRpc, journal: Journal, keep: Keep): Promise<Story> {
  const [told] = await rpc.batch([{ method: 'eth_accounts', params: [] }])
  const accounts = z.array(z.string().transform(address)).parse(told)
  const producer = producerAt(rpc, demoChainId)
  const chain = chainOf(producer, journal.header.seed, worldOf(accounts))
  return storyOf({ chain, producer, journal, onEntry: (entries) => keep(rpc, entries) })
}

/** A snapshot that fails costs a longer start only: the chain goes on. */
function snapshotsIn(folder: string, heldAtFirst: number, log: DemoChainLog): Keep {
  let held = heldAtFirst
  return async (rpc, entries) => {
    if (!isSnapshotDue(entries, held)) return
    held = entries
    try {
      await takeSnapshot(rpc, folder, entries)
    } catch (error) {
      log.error({ entries }, `the demo chain took no snapshot of itself: ${String(error)}`)
    }
  }
}

const nowSeconds = () => Math.floor(Date.now() / 1000)
