import type { BlockSize, ChainBuilder } from './chain.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { MinedBlock, Producer } from './producer.ts'

/** Seconds of chain time between blocks of the backlog. */
export const secondsPerBlock = 2

const sizes = {
  backlog: { transactionsMin: 12, transactionsMax: 44 },
  live: { transactionsMin: 0, transactionsMax: 9 },
} as const satisfies Record<string, BlockSize>

/** How far a chain is in mining what it begins with. */
export interface MiningProgress {
  readonly mined: number
  readonly total: number
}

/** A chain that writes down what it does, and can do it again. */
export interface Story {
  /** @throws before the first block. */
  head(): MinedBlock
  /**
   * Makes again what the journal tells, then what the backlog still lacks.
   * @param held entries that the node holds already
   * @param onProgress called after each block that was mined on the way
   */
  catchUp(held: number, onProgress?: (progress: MiningProgress) => void): Promise<void>
  /** A live block. Seconds since 1970; times must rise. */
  mine(time: number): Promise<MinedBlock>
  rollBack(depth: number): Promise<void>
}

export interface StoryParts {
  readonly chain: ChainBuilder
  readonly producer: Producer
  readonly journal: Journal
  /** Called after each entry, with how many there are. */
  readonly onEntry: (entries: number) => Promise<void>
}

export function storyOf({ chain, producer, journal, onEntry }: StoryParts): Story {
  async function mine(size: keyof typeof sizes, time: number): Promise<MinedBlock> {
    const block = await chain.mine(sizes[size], time)
    journal.append({ kind: 'mined', number: block.number, time, size, hash: block.hash })
    await onEntry(journal.count())
    return block
  }

  return {
    head() {
      const block = chain.head()
      if (!block) throw new Error('the demo chain has no block yet')
      return block
    },
    async catchUp(held, onProgress = () => {}) {
      for (const entry of journal.entries.slice(0, held)) retrace(chain, entry)
      const retraced = chain.head()
      if (retraced) checkSame(retraced, (await producer.newest()).hash)
      const { genesisTime, backlogBlocks } = journal.header
      const known = journal.entries.slice(held)
      const total = known.length + Math.max(0, backlogBlocks - blocksIn(journal.entries))
      let mined = 0
      const stepDone = () => onProgress({ mined: ++mined, total })
      for (const entry of known) {
        await retell(chain, entry)
        stepDone()
      }
      for (let number = numberAfter(chain); number <= backlogBlocks; number++) {
        await mine('backlog', genesisTime + number * secondsPerBlock)
        stepDone()
      }
    },
    mine: (time) => mine('live', time),
    async rollBack(depth) {
      await chain.rollBack(depth)
      journal.append({ kind: 'rolled-back', depth })
    },
  }
}

/** Of the chain that the entries lead to. */
const blocksIn = (entries: readonly JournalEntry[]): number =>
  entries.reduce((blocks, entry) => blocks + (entry.kind === 'mined' ? 1 : -entry.depth), 0)

const numberAfter = (chain: ChainBuilder) => (chain.head()?.number ?? 0) + 1

function retrace(chain: ChainBuilder, entry: JournalEntry): void {
  if (entry.kind === 'rolled-back') chain.retraceBack(entry.depth)
  else chain.retrace(sizes[entry.size], entry)
}

async function retell(chain: ChainBuilder, entry: JournalEntry): Promise<void> {
  if (entry.kind === 'rolled-back') return chain.rollBack(entry.depth)
  const { hash } = await chain.mine(sizes[entry.size], entry.time)
  checkSame(entry, hash)
}

function checkSame(told: Pick<MinedBlock, 'number' | 'hash'>, hash: string): void {
  if (told.hash === hash) return
  throw new Error(
    `block ${told.number} of the demo chain came out as another one than last time: ` +
      'another version wrote its folder, or two at once did; begin anew with another --data-dir',
  )
}
