import type { Anvil } from './anvil.ts'
import { type DemoChain, type DemoChainLog, demoChainId } from './demo-chain-port.ts'
import type { MinedBlock } from './producer.ts'
import type { Story } from './story.ts'

export interface LiveChainOptions {
  readonly anvil: Anvil
  readonly story: Story
  readonly blockIntervalMs: number | null
  readonly log: DemoChainLog
}

/** Lets the clock mine. */
export function liveChain({ anvil, story, blockIntervalMs, log }: LiveChainOptions): DemoChain {
  const { promise: failure, resolve: fail } = settled()
  const inTurn = turns()
  const mineNext = () => story.mine(Math.max(story.head().time + 1, nowSeconds()))
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (blockIntervalMs === null || stopped) return
    timer = setTimeout(() => inTurn(mineNext).then(schedule, complain), blockIntervalMs)
  }

  function complain(error: unknown): void {
    if (stopped) return
    const reason = `the demo chain mines no more: ${String(error)}`
    log.error({ head: story.head().number }, reason)
    fail(reason)
  }

  async function reorganise(depth: number): Promise<MinedBlock> {
    await story.rollBack(depth)
    // One block more than before, so that no reader can take the old branch for the longer one.
    for (let mined = 0; mined <= depth; mined++) await story.mine(story.head().time + 1)
    return story.head()
  }

  schedule()
  return {
    url: anvil.url,
    chainId: demoChainId,
    pid: anvil.pid,
    exited: Promise.race([anvil.exited, failure]),
    head: story.head,
    mine: () => inTurn(mineNext),
    reorganise: (depth) => inTurn(() => reorganise(depth)),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await inTurn(async () => {})
      await anvil.stop()
    },
  }
}

/** One act at a time: a block of the clock and one that a test asked for must not mix. */
function turns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const result = last.then(act)
    last = result.catch(() => undefined)
    return result
  }
}

function settled(): { promise: Promise<string>; resolve: (reason: string) => void } {
  let resolve: (reason: string) => void = () => {}
  const promise = new Promise<string>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

const nowSeconds = () => Math.floor(Date.now() / 1000)
