import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { consecutiveBlocks, mainnetBlock } from '../support/mainnet-block.ts'

const mainnet = new URL('../mainnet', import.meta.url).pathname
const [first = 0, second = 0, third = 0] = consecutiveBlocks

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foldscan-folder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const copy = (number: number) =>
  copyFile(join(mainnet, `${number}.json.gz`), join(folder, `${number}.json.gz`))
const write = (name: string, text: string) => writeFile(join(folder, name), text)

async function published(allowGaps = false) {
  const eventLog = memoryEventLog()
  const source = await folderSource({ folder })
  const ingestor = await startInMemory({ source, eventLog, allowGaps })
  const failure = (await Promise.race([ingestor.done, ingestor.failed])) ?? null
  await ingestor.stop()
  return { failure, ...(await chainInLog(eventLog)) }
}

describe('the folder of twelve real blocks', () => {
  it('is published whole, each block knowing the time of its parent', async () => {
    const source = await folderSource({ folder: mainnet })
    expect(source.chainId).toBe(1)
    const eventLog = memoryEventLog()
    const ingestor = await startInMemory({ source, eventLog })
    expect(await Promise.race([ingestor.done, ingestor.failed])).toBeUndefined()
    await ingestor.stop()
    const { accepted, standing, skipped } = await chainInLog(eventLog)
    expect(skipped).toEqual([])
    expect([...standing.keys()]).toEqual(consecutiveBlocks)
    const times = accepted.flatMap((it) => (it.kind === 'block.applied' ? [it.block] : []))
    times.forEach(({ parentTimestamp }, at) => {
      expect(parentTimestamp).toBe(times[at - 1]?.timestamp ?? null)
    })
  })
})

describe('a folder of blocks', () => {
  it('may mix plain and packed files, and hold others', async () => {
    await copy(second)
    await write(`${first}.json`, JSON.stringify(mainnetBlock(first)))
    await write('README.md', 'not a block')
    expect([...(await published()).standing.keys()]).toEqual([first, second])
  })

  it('returns what was observed before its first block and after each', async () => {
    await copy(second)
    await copy(third)
    const holder = `0x${'ab'.repeat(20)}`
    const balances = [{ token: holder, holder, value: '5' }]
    await write(`${first}.observed.json`, JSON.stringify({ balances }))
    await writeFile(join(folder, `${second}.observed.json.gz`), gzipSync('{}'))
    const { accepted } = await published()
    expect(accepted.map(({ kind }) => kind)).toEqual([
      'state.observed',
      'block.applied',
      'state.observed',
      'block.applied',
    ])
    const parent = mainnetBlock(second).block.parentHash
    expect(accepted[0]).toMatchObject({ block: first, hash: parent, balances: [{ value: 5n }] })
  })

  it('halts at a hole, or declares it', async () => {
    await copy(first)
    await copy(third)
    expect((await published()).failure?.message).toContain(
      `the source has block ${first} and then block ${third}: block ${second} is missing`,
    )
    expect((await published(true)).accepted.map(({ kind }) => kind)).toEqual([
      'block.applied',
      'gap.declared',
      'block.applied',
    ])
  })
})

describe('a folder with a fault gets one sentence that names the file', () => {
  it('if it is not there', async () => {
    await expect(folderSource({ folder: join(folder, 'no') })).rejects.toThrow(
      /cannot read the folder/,
    )
  })

  it('if it holds no block', async () => {
    await write('README.md', 'nothing')
    await expect(folderSource({ folder })).rejects.toThrow(/holds no block/)
  })

  it('if a block stands in it twice', async () => {
    await copy(first)
    await write(`${first}.json`, '{}')
    await expect(folderSource({ folder })).rejects.toThrow(`block ${first} is in two files`)
  })

  it.each([
    ['is not JSON', '{', /is not JSON/],
    ['is no block', '{"block": {}}', /is not \{"block": \.\.\., "receipts": \[\.\.\.\]\}/],
    ['holds another block', JSON.stringify(mainnetBlock(third)), /contains block \d+, not \d+/],
  ])('if a file %s', async (_, text, sentence) => {
    await copy(first)
    await write(`${second}.json`, text)
    const { failure, standing } = await published()
    expect(failure?.message).toMatch(sentence)
    expect(failure?.message).toContain(join(folder, `${second}.json`))
    expect([...standing.keys()]).toEqual([first])
  })

  it('if a packed file is cut off', async () => {
    await copy(first)
    const cut = gzipSync(JSON.stringify(mainnetBlock(second))).subarray(0, 1000)
    await writeFile(join(folder, `${second}.json.gz`), cut)
    expect((await published()).failure?.message).toMatch(/cannot read .*: unexpected end of file/)
  })

  it('if a block contradicts itself', async () => {
    const file = mainnetBlock(first)
    file.receipts.pop()
    await write(`${first}.json`, JSON.stringify(file))
    expect((await published()).failure?.message).toMatch(
      /json: block \d+: receipts are 178 for 179/,
    )
  })

  it('if an observation is of another fork', async () => {
    await copy(first)
    await write(`${first}.observed.json`, `{"hash": "0x${'12'.repeat(32)}"}`)
    expect((await published()).failure?.message).toMatch(/observed\.json: hash is 0x1212/)
  })
})
