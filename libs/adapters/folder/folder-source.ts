import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Observation } from '../../chain/block.ts'
import type { Address, Hash } from '../../chain/hex.ts'
import {
  BlockRefused,
  type ChainSource,
  type Code,
  type SourceBlock,
  type StateResult,
  type TokensResult,
} from '../../ports/chain-source.ts'
import type { HeaderRules } from '../../settings/source-settings.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { assembleBlock } from '../rpc/blocks/assemble-block.ts'
import { type BlockFiles, listBlockFiles } from './block-files.ts'
import { parseObservation } from './parse-observation.ts'

interface FolderOptions {
  readonly folder: string
  /** By default that of the first block's transactions, else 1. */
  readonly chainId?: number
  /** How blocks are proved; by default by Ethereum's rules. */
  readonly headerRules?: HeaderRules
}

const blockFile = z.object({
  block: z.looseObject({
    number: z.string(),
    hash: z.string(),
    parentHash: z.string(),
    timestamp: z.string(),
    transactions: z.array(z.unknown()),
  }),
  receipts: z.array(z.unknown()),
})
type BlockFile = z.output<typeof blockFile>

/** The few facts of a block that its neighbours are asked for. */
interface Stamp {
  readonly hash: string
  readonly timestamp: number
}

const stampsMax = 1024

/**
 * A folder of `N.json` or `N.json.gz`, each `{"block": eth_getBlockByNumber(N, true),
 * "receipts": eth_getBlockReceipts(N)}`, and `N.observed.json` (see `parse-observation.ts`).
 * Other files are left alone. Every fault is an error with one sentence that names the file.
 */
export async function folderSource(options: FolderOptions): Promise<ChainSource> {
  const files = await listBlockFiles(options.folder)
  const chainId = options.chainId ?? (await chainIdOf(files))
  return new FolderSource(files, chainId, options.headerRules ?? 'ethereum')
}

class FolderSource implements ChainSource {
  readonly endsAtHead = true
  readonly hasState = false
  readonly chainId: number
  readonly #files: BlockFiles
  readonly #rules: HeaderRules
  readonly #stamps = new LRUCache<number, Promise<Stamp | null>>({ max: stampsMax })

  constructor(files: BlockFiles, chainId: number, rules: HeaderRules) {
    this.#files = files
    this.#rules = rules
    this.chainId = chainId
  }

  async head(): Promise<number> {
    return this.#files.numbers.at(-1) ?? 0
  }

  async block(number: number): Promise<SourceBlock | null> {
    const path = this.#files.blocks.get(number)
    if (!path) return null
    // Blocks are requested in order: a request for this block's time waits for this read.
    const reading = readBlockFile(path, number)
    this.#stamps.set(
      number,
      reading.then(stampOf).catch(() => null),
    )
    const file = await reading
    const parent = await this.#stamp(number - 1)
    const isParent = parent?.hash === file.block.parentHash.toLowerCase()
    try {
      const parentTimestamp = isParent ? parent.timestamp : null
      return await assembleBlock(file.block, file.receipts, { parentTimestamp, rules: this.#rules })
    } catch (cause) {
      // The file will be the same the next time.
      throw new BlockRefused(`${path}: ${reason(cause)}. See ${runbooks.blockRefused}`)
    }
  }

  async hash(number: number): Promise<Hash | null> {
    return (await this.block(number))?.hash ?? null
  }

  async nextNumber(number: number): Promise<number | null> {
    const { numbers } = this.#files
    let low = 0
    let high = numbers.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[middle] ?? 0) < number) low = middle + 1
      else high = middle
    }
    return numbers[low] ?? null
  }

  async observed(number: number, hash: Hash): Promise<Observation | null> {
    const path = this.#files.observations.get(number)
    if (!path) return null
    const raw = await readJson(path)
    try {
      return parseObservation(raw, number, hash)
    } catch (cause) {
      throw new Error(`${path}: ${reason(cause)}`)
    }
  }

  /** Token metadata comes from the observations in the files; it cannot be queried. */
  async tokens(): Promise<TokensResult> {
    return { metadata: [], failed: [], cutOff: [] }
  }

  /** What their blocks prove of code is all that files know of it. */
  async codes(): Promise<ReadonlyMap<Address, Code>> {
    return new Map()
  }

  async observe(): Promise<StateResult | null> {
    return null
  }

  async waitAbove(_number: number, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await once(signal, 'abort')
  }

  async close(): Promise<void> {}

  /** Null if the folder lacks the block; a broken file is named when its own turn comes. */
  #stamp(number: number): Promise<Stamp | null> {
    const known = this.#stamps.get(number)
    if (known) return known
    const path = this.#files.blocks.get(number)
    const reading = path ? readBlockFile(path, number).then(stampOf) : Promise.resolve(null)
    const stamp = reading.catch(() => null)
    this.#stamps.set(number, stamp)
    return stamp
  }
}

async function readBlockFile(path: string, number: number): Promise<BlockFile> {
  const read = blockFile.safeParse(await readJson(path))
  if (!read.success) {
    const place = (read.error.issues[0]?.path ?? []).map(String).join('.')
    throw new Error(`${path} is not {"block": ..., "receipts": [...]}: ${place} is wrong`)
  }
  const found = Number(read.data.block.number)
  if (found !== number) throw new Error(`${path} contains block ${found}, not ${number}`)
  return read.data
}

const stampOf = (file: BlockFile): Stamp => ({
  hash: file.block.hash.toLowerCase(),
  timestamp: Number(file.block.timestamp),
})

const signed = z.object({ chainId: z.string() })
const mainnet = 1

/** Transactions from before EIP-155 do not name their chain. */
async function chainIdOf(files: BlockFiles): Promise<number> {
  const first = files.numbers[0]
  const path = first === undefined ? undefined : files.blocks.get(first)
  if (first === undefined || !path) return mainnet
  const { block } = await readBlockFile(path, first)
  for (const transaction of block.transactions) {
    const read = signed.safeParse(transaction)
    if (read.success) return Number(read.data.chainId)
  }
  return mainnet
}

const gunzipped = promisify(gunzip)

/** Far above any block; a gzip of zeros must not fill the memory. */
const fileBytesMax = 256 * 1024 * 1024

/** @throws with one sentence that names the file. */
async function readJson(path: string): Promise<unknown> {
  const bytes = await readFile(path)
    .then((read) =>
      path.endsWith('.gz') ? gunzipped(read, { maxOutputLength: fileBytesMax }) : read,
    )
    .catch((cause: unknown) => {
      throw new Error(`cannot read ${path}: ${reason(cause)}`)
    })
  try {
    return JSON.parse(bytes.toString())
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${reason(cause)}`)
  }
}

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
