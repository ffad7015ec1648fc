import { type Position, position } from '../../../libs/chain/position.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { pause } from '../../../libs/signals/pause.ts'
import { transfersByTransaction } from '../../../libs/tables/tables/transfers.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import type { BlockSummary, ConsoleUi } from './console-ui.ts'

interface FollowProgressOptions {
  /** Progress of each group; block is null before the first. */
  readonly groups: () => readonly IndexedPosition[]
  /** Newest block of the source, as far as known; 0 before. */
  readonly head: () => number
  /** Whether the source brings no block after those that it has at first; null until it opens. */
  readonly endsAtHead: () => boolean | null
  /** Whether such a source is read and indexed. */
  readonly isFinished: () => boolean
  readonly counting: CountingGroup
  readonly ui: ConsoleUi
  readonly signal: AbortSignal
  /**
   * Called when everything is caught up, and when there has been something to show for a while
   * (then `isFinal` is true), until it returns that the examples were shown.
   */
  readonly showExamples: (isFinal: boolean) => Promise<boolean>
}

interface IndexedPosition {
  readonly position: number
  readonly block: number | null
}

/** Refresh interval. */
const frameMs = 200
/** Examples are shown after this time even during a long backfill. */
const firstLookMs = 10_000
/** Blocks behind the source that still count as caught up. */
const liveDistance = 2
const paceWindowMs = 15_000

/** Displays progress until the signal aborts. */
export async function followProgress(followed: FollowProgressOptions): Promise<void> {
  const { ui, counting, signal } = followed
  const pace = startPace(counting)
  let from: number | null = null
  let since = 0
  let looked = false
  let wasLive = false
  const sayIndexed = indexedOnce(followed)
  for (; !signal.aborted; await pause(frameMs, signal)) {
    const reach = lowest(followed.groups())
    if (reach === null) continue
    from ??= reach.block
    since ||= Date.now()
    const head = Math.max(followed.head(), reach.block)
    const isLive = head - reach.block <= liveDistance
    const isFinal = Date.now() - since > firstLookMs
    if (!looked && (isLive || isFinal)) {
      looked = await followed.showExamples(isFinal)
      if (signal.aborted) return
    }
    const blocks = counting.takeBlocks(reach.position)
    // Those of the bar's time come at once with the first live one: only the newest is shown.
    if (isLive) for (const block of wasLive ? blocks : blocks.slice(-1)) ui.block(block)
    else ui.progress({ from, indexed: reach.block, head, ...pace(reach.block) })
    wasLive = isLive
    sayIndexed(reach.block, head)
  }
}

type Indexed = Pick<FollowProgressOptions, 'isFinished' | 'endsAtHead'> & {
  readonly ui: Pick<ConsoleUi, 'indexed'>
}

/** Says when everything is indexed: once for each time that there was something left to index. */
export function indexedOnce({ isFinished, endsAtHead, ui }: Indexed) {
  let isSaid = false
  return (block: number, head: number) => {
    if (head - block > liveDistance) isSaid = false
    // The last blocks of a folder come at once: it is finished as soon as it is read.
    const isFinal = endsAtHead()
    if (isFinal === null) return
    const isIndexed = isFinal ? isFinished() : block >= head
    if (isSaid || !isIndexed) return
    isSaid = true
    ui.indexed({ block, isFinal })
  }
}

/** Progress of the slowest group. Null before the first block. */
function lowest(groups: readonly IndexedPosition[]): { block: number; position: Position } | null {
  const [first] = groups.toSorted((one, other) => one.position - other.position)
  if (first === undefined || first.block === null) return null
  return { block: first.block, position: position(first.position) }
}

/** Events and blocks a second over the last seconds. */
function startPace(counting: CountingGroup) {
  let marks: { at: number; events: number; block: number }[] = []
  return (block: number) => {
    const now = { at: Date.now(), events: counting.events(), block }
    marks = [...marks.filter(({ at }) => now.at - at < paceWindowMs), now]
    const first = marks[0] ?? now
    const seconds = Math.max(0.001, (now.at - first.at) / 1000)
    return {
      eventsPerSecond: (now.events - first.events) / seconds,
      blocksPerSecond: (now.block - first.block) / seconds,
    }
  }
}

/** Folded blocks that are not displayed yet; older ones are dropped. */
const unshownMax = 64

export interface CountingGroup {
  /** The wrapped group. */
  readonly group: BlocksGroup
  /** Transactions and logs folded since the start. */
  readonly events: () => number
  /** Removes and returns the blocks up to a position, in order. */
  readonly takeBlocks: (upTo: Position) => BlockSummary[]
}

const transfersTable = transfersByTransaction.name

/** Wraps the ledger and counts what it folds: messages are not decoded again for display. */
export function countingGroup(group: BlocksGroup): CountingGroup {
  let events = 0
  let unshown: { position: Position; block: BlockSummary }[] = []
  return {
    group: {
      ...group,
      *rows(message, changes, position) {
        let transfers = 0
        for (const rows of group.rows(message, changes, position)) {
          for (const { table } of rows) if (table.name === transfersTable) transfers += 1
          yield rows
        }
        events += eventsOf(message)
        const block = shown(message, transfers)
        if (block) unshown = [...unshown.slice(1 - unshownMax), { position, block }]
      },
    },
    events: () => events,
    takeBlocks(upTo) {
      const taken = unshown.filter(({ position }) => position <= upTo)
      unshown = unshown.filter(({ position }) => position > upTo)
      return taken.map(({ block }) => block)
    },
  }
}

function eventsOf(message: BlocksMessage): number {
  if (message.kind !== 'block.applied') return 0
  const { transactions } = message.block
  return transactions.reduce((sum, { logs }) => sum + 1 + logs.length, 0)
}

function shown(message: BlocksMessage, transfers: number): BlockSummary | null {
  if (message.kind !== 'block.applied' && message.kind !== 'block.reverted') return null
  const { number, hash, timestamp, transactions } = message.block
  return {
    number,
    hash,
    transactions: transactions.length,
    transfers,
    time: timestamp,
    reverted: message.kind === 'block.reverted',
  }
}
