import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { decodeBlocksMessage } from '../../libs/topics/codec.ts'
import type { Ingestor } from '../../services/ingestor/running-ingestor.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog, storedBlocks } from '../support/chain-in-log.ts'
import { runLength } from '../support/run-length.ts'
import { until } from '../support/until.ts'
import { deniedIn } from './denied-values.ts'
import { allSampled, OddChain, type Truth } from './odd-chain.ts'

/** Decisions 23, 36, 55, 64. */
describe('tokens that transfers do not explain', () => {
  const eventLog = memoryEventLog()
  const truths = new Map<number, Truth>()
  let chain: OddChain
  let folder: string
  let source: ChainSource
  let ingestor: Ingestor

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldscan-odd-'))
    chain = await OddChain.start()
    source = await rpcSource({ url: chain.node.wsUrl })
    ingestor = await startInMemory({ source, eventLog, limits: allSampled })
  })
  afterAll(async () => {
    await ingestor.stop()
    await source.close()
    await chain.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const names = { nameOf: (token: string) => chain.nameOf(token) }

  const published = async (ofLog: typeof eventLog) => (await chainInLog(ofLog)).accepted

  it('shows no value that the node denies, after any block', { timeout: 300_000 }, async () => {
    await chain.deploy()
    let [found, read] = [0, 0]
    const runner = new InMemoryGroup(stateGroup)
    for (let block = 0; block < runLength.oddTokenBlocks; block++) {
      if (block === Math.ceil(runLength.oddTokenBlocks / 2)) await chain.destroy('destroyed')
      const head = await chain.mine()
      const truth = await chain.truth()
      truths.set(head, truth)
      await until('all is published', () => Promise.resolve(ingestor.status().block === head))
      const stored = await storedBlocks(eventLog, read)
      read += stored.length
      runner.fold(stored.map(messageIn))
      expect(deniedIn(runner.tables, truth, names), `block ${head}`).toEqual([])
      found += runner.tables.rowsOf('holders').length
    }
    // A fold that shows nothing is never wrong.
    const replay = new InMemoryGroup(stateGroup)
    replay.fold(await published(eventLog))
    expect(replay.tables.all()).toEqual(runner.tables.all())
    expect(found / runLength.oddTokenBlocks).toBeGreaterThan(4)
  })

  it('shows nothing of those that their logs contradict, without a node', async () => {
    await chain.reveal()
    const numbers = Array.from({ length: (await chain.node.head()) + 1 }, (_, number) => number)
    for (const number of numbers) {
      await writeFile(join(folder, `${number}.json`), await chain.file(number))
    }
    const logOfFolder = memoryEventLog()
    const files = await folderSource({ folder })
    const reading = await startInMemory({ source: files, eventLog: logOfFolder })
    expect(await Promise.race([reading.done, reading.failed])).toBeUndefined()
    await reading.stop()
    const runner = new InMemoryGroup(stateGroup)
    const denied = new Set<string>()
    for (const message of await published(logOfFolder)) {
      runner.fold([message])
      const truth = message.kind === 'block.applied' && truths.get(message.block.number)
      for (const one of truth ? deniedIn(runner.tables, truth, names) : []) {
        denied.add(one.split(':')[0] ?? '')
      }
    }
    // What changes in silence is seen when somebody moves more than the logs have given; a fee that
    // the event does not tell never is: libs/presenters/CONTRACT.md, Limits.
    expect(unseen).toEqual(expect.arrayContaining([...denied]))
    const shown = runner.tables.rowsOf('holders').map((row) => chain.nameOf(Object(row).token))
    expect(shown.filter((name) => contradicted.includes(name))).toEqual([])
    expect(shown).toContain('plain')
    const isCounted = new Map(
      runner.tables.rowsOf('token_state').map((row) => {
        const { token, holdersCount } = Object(row)
        return [chain.nameOf(token), holdersCount !== null]
      }),
    )
    const ofNames = (names: readonly string[]) => names.map((name) => [name, isCounted.get(name)])
    const never = [...contradicted, 'newWrapped']
    expect(ofNames(never)).toEqual(never.map((name) => [name, false]))
    expect(ofNames(always)).toEqual(always.map((name) => [name, true]))
  })
})

/** Tokens that the last block shows to be odd, if none before did. */
const contradicted = ['genesis', 'allocated', 'rebase', 'loggedRebase', 'silent']

/** Tokens that no log contradicts. */
const always = ['plain', 'fee', 'loggedFee', 'destroyed']

/** Ids of their constructors have no logs. */
const collections = ['ids', 'idsInData', 'seizedIds', 'lyingIds']

/** Tokens of which no log tells for a while, or ever, that transfers do not explain them. */
const unseen = [
  'fee',
  'allocated',
  'rebase',
  'silent',
  'lying',
  'paused',
  'upgraded',
  ...collections,
]

function messageIn({ value }: { readonly value: Uint8Array }) {
  const decoded = decodeBlocksMessage(value)
  if ('invalid' in decoded) throw new Error(decoded.invalid)
  return decoded.message
}
