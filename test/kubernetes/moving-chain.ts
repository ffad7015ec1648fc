import type { DemoChain } from '../../services/demo-chain/demo-chain-port.ts'
import { until } from '../support/until.ts'
import type { Running } from '../up/running.ts'
import type { Shown } from './judged-answers.ts'

/** A chain that gets blocks while others read it, and what is right to say of each of them. */
export interface MovingChain {
  readonly right: ReadonlyMap<string, ReadonlyMap<number, string>>
  readonly shown: readonly Shown[]
  /** Waits until all pods that get requests show the newest block. */
  readonly arrive: () => Promise<void>
  /** Mines a block, and waits for it. */
  readonly next: () => Promise<void>
}

export interface MovingChainOptions {
  readonly chain: DemoChain
  /** The embedded form, whose answers are the reference. */
  readonly up: Running
  readonly paths: readonly string[]
  /** Origins of the pods that get requests. */
  readonly pods: () => readonly string[]
}

const askedAtOnce = 4
const nobody = `/api/v2/addresses/0x${'1'.repeat(40)}/token-balances`

export function movingChain({ chain, up, paths, pods }: MovingChainOptions): MovingChain {
  const right = new Map(paths.map((path) => [path, new Map<number, string>()]))
  const shown: Shown[] = []
  const blockAt = async (origin: string): Promise<number> => {
    const response = await fetch(origin + nobody)
    await response.arrayBuffer()
    return Number(response.headers.get('x-indexed-block'))
  }
  const note = async (block: number) => {
    const origin = await up.origin()
    await until(`embedded shows ${block}`, async () => (await blockAt(origin)) === block)
    const waiting = paths.values()
    const read = async () => {
      for (const path of waiting) {
        const response = await fetch(origin + path)
        right.get(path)?.set(block, `${response.status} ${await response.text()}`)
      }
    }
    await Promise.all(Array.from({ length: askedAtOnce }, read))
  }
  const arrive = async (minedAt: number) => {
    const { number: block } = chain.head()
    await until(`all pods show block ${block}`, async () => {
      const blocks = await Promise.all(pods().map((origin) => blockAt(origin).catch(() => 0)))
      return blocks.length > 0 && blocks.every((each) => each >= block)
    })
    shown.push({ block, minedAt, shownAt: performance.now() })
    await note(block)
  }
  return {
    right,
    shown,
    arrive: () => arrive(performance.now()),
    async next() {
      const minedAt = performance.now()
      await chain.mine()
      await arrive(minedAt)
    },
  }
}
