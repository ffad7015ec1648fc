import { once } from 'node:events'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Address, Hash } from '../../chain/hex.ts'
import type { Observation } from '../../chain/observation.ts'
import type {
  ChainSource,
  Code,
  SourceBlock,
  StateResult,
  TokensResult,
} from '../../ports/chain-source.ts'
import { assembleBlock } from '../rpc/assemble-block.ts'
import { type BlockFiles, listBlockFiles, readJson, reason } from './block-files.ts'
import { parseObservation } from './parse-observation.ts'

export interface FolderOptions {
  readonly folder: string
  /** If absent: as the first block's transactions say, else 1. */
  readonly chainId?: number
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
  return new FolderSource(files, chainId)
}

class FolderSource implements ChainSource {
  readonly endsAtHead = true
  readonly hasState = false
  readonly chainId: number
  readonly #files: BlockFiles
  readonly #stamps = new LRUCache<number, Promise<Stamp | null>>({ max: stampsMax })

  constructor(files: BlockFiles, chainId: number) {
    this.#files = files
    this.chainId = chainId
  }

  async head(): Promise<number> {
    return this.#files.numbers.at(-1) ?? 0
  }

  async block(number: number): Promise<SourceBlock | null> {
    const path = this.#files.blocks.get(number)
    if (!path) return null
    // Blocks are asked for in a row: whoever asks for this one's time waits for this reading.
    const reading = readBlockFile(path, number)
    this.#stamps.set(
      number,
      reading.then(stampOf).catch(() => null),
    )
    const file = await reading
    const parent = await this.#stamp(number - 1)
    const isParent = parent?.hash === file.block.parentHash.toLowerCase()
    try {
      return await assembleBlock(file.block, file.receipts, isParent ? parent.timestamp : null)
    } catch (cause) {
      throw new Error(`${path}: ${reason(cause)}`)
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
    const said = await readJson(path)
    try {
      return parseObservation(said, number, hash)
    } catch (cause) {
      throw new Error(`${path}: ${reason(cause)}`)
    }
  }

  /** Files say what tokens are in their observations, not when asked. */
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
  const said = Number(read.data.block.number)
  if (said !== number) throw new Error(`${path} holds block ${said}, not ${number}`)
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
