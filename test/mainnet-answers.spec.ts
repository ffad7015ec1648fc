import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { folderSource } from '../libs/adapters/folder/folder-source.ts'
import { zeroAddress } from '../libs/chain/hex.ts'
import type { StoredMessage } from '../libs/ports/event-log.ts'
import { memoryEventLog } from '../libs/ports/testing/memory-event-log.ts'
import { type BlocksMessage, blocksMessage } from '../libs/topics/blocks.ts'
import { startInMemory } from '../services/ingestor/testing/start-in-memory.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { seeded } from './oracle/seeded.ts'
import { walk } from './oracle/walk.ts'
import { consecutiveBlocks } from './support/mainnet-block.ts'
import {
  mainnetFolder,
  type TruthBalance,
  truthBalances,
  truthTransfers,
} from './support/mainnet-truth.ts'
import { runLength } from './support/run-length.ts'
import { testSeed } from './support/seed.ts'

/** Requests at a time. */
const atOnce = pLimit(8)
const timeoutMs = 600_000

const [firstBlock = 0] = consecutiveBlocks
const inTheBlocks = ({ blockNumber }: { blockNumber: number }) =>
  consecutiveBlocks.includes(blockNumber)
// The zero address holds nothing here, whatever its contract counts (decision 35).
const share = runLength.mainnetShare
/** All in the long form. */
const isChosen = (subject: string) => seeded(testSeed, subject) % share === 0
const truth = truthBalances().filter((row) => inTheBlocks(row) && row.holder !== zeroAddress)
const pairOf = ({ token, holder }: Pick<TruthBalance, 'token' | 'holder'>) => `${token} ${holder}`

/** The blocks, with what a node would have reported before the first of them. */
function folderWithObservation(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-mainnet-'))
  for (const number of consecutiveBlocks) {
    symlinkSync(join(mainnetFolder, `${number}.json.gz`), join(folder, `${number}.json.gz`))
  }
  const before = new Map<string, TruthBalance>()
  for (const row of truth) if (!before.has(pairOf(row))) before.set(pairOf(row), row)
  const balances = [...before.values()].map(({ token, holder, before: value }) => ({
    token,
    holder,
    value: `${value}`,
  }))
  writeFileSync(join(folder, `${firstBlock - 1}.observed.json`), JSON.stringify({ balances }))
  return folder
}

/** All that the ingestor publishes of a folder. */
async function publishedOf(folder: string): Promise<readonly StoredMessage[]> {
  const eventLog = memoryEventLog()
  const source = await folderSource({ folder })
  const ingestor = await startInMemory({ source, eventLog })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  await source.close()
  return eventLog.read('blocks', 0, { messagesMax: 1_000, bytesMax: 2 ** 30 })
}

const messageOf = ({ value }: StoredMessage): BlocksMessage =>
  blocksMessage.parse(JSON.parse(Buffer.from(value).toString()))

const address = z.object({ hash: z.string().transform((text) => text.toLowerCase()) })
const transferItem = z.object({
  block_number: z.number(),
  transaction_hash: z.string(),
  log_index: z.number(),
  from: address,
  to: address,
  token: z.object({ address_hash: z.string().transform((text) => text.toLowerCase()) }),
  token_type: z.string(),
  total: z.object({ value: z.string(), token_id: z.string().optional() }),
})
const balanceItem = z.object({
  value: z.string(),
  token: z.object({ address_hash: z.string().transform((text) => text.toLowerCase()) }),
})

let embedded: EmbeddedServices
let folder: string
let published: readonly StoredMessage[] = []

beforeAll(async () => {
  embedded = await startEmbedded(1)
  folder = folderWithObservation()
  published = await publishedOf(folder)
}, timeoutMs)

afterAll(async () => {
  await embedded.stop()
  rmSync(folder, { recursive: true })
})

async function balancesOf(holder: string): Promise<Map<string, string>> {
  const { status, body } = await embedded.get(`/api/v2/addresses/${holder}/token-balances`)
  expect(status).toBe(200)
  const items = z.array(balanceItem).parse(body)
  return new Map(items.map(({ token, value }) => [token.address_hash, value]))
}

/** It paid more than it had: only what is observed of it is shown (decision 64). */
const inDoubt: string = '0x226597281b5706ffb963f1890b5a2794f86e5228'

test(
  'after every real block the balances answered are those of the contracts themselves',
  async () => {
    const unexplained = new Set<string>()
    let compared = 0
    for (const stored of published) {
      const message = messageOf(stored)
      await embedded.eventLog.append('blocks', [stored])
      if (message.kind !== 'block.applied') continue
      await embedded.reached(message.sequence, message.block.number)
      const changed = truth.filter((row) => row.blockNumber === message.block.number)
      for (const row of changed) if (!row.equalsTransfers) unexplained.add(pairOf(row))
      const holders = [...new Set(changed.map(({ holder }) => holder))].filter(isChosen)
      const answers = await Promise.all(holders.map((holder) => atOnce(() => balancesOf(holder))))
      for (const row of changed.filter((one) => !unexplained.has(pairOf(one)))) {
        if (!isChosen(row.holder)) continue
        const shown = answers[holders.indexOf(row.holder)]?.get(row.token)
        if (shown === undefined && row.token === inDoubt) continue
        const name = `${row.blockNumber} ${pairOf(row)}, seed ${testSeed}`
        expect(shown ?? '0', name).toBe(`${row.after}`)
        compared += 1
      }
    }
    // One of the 2,888 changes that transfers explain follows an unexplained one of its pair, and
    // two are of the token in doubt.
    if (share === 1) expect(compared).toBe(2_885)
    expect(compared).toBeGreaterThan(1_000 / share)
  },
  timeoutMs,
)

test(
  'every transfer of the real blocks is answered as the truth table has it, none missing, none more',
  async () => {
    const blocks = published.map(messageOf).filter((message) => message.kind === 'block.applied')
    const hashes = blocks
      .flatMap(({ block }) => block.transactions.map(({ hash }) => hash))
      .filter(isChosen)
    const walked = await Promise.all(
      hashes.map((hash) =>
        atOnce(() =>
          walk(embedded.get, {
            path: `/api/v2/transactions/${hash}/token-transfers`,
            parameters: {},
            itemsCount: 100,
            nullForms: ['null'],
          }),
        ),
      ),
    )
    const ours = walked.flatMap(({ items }) =>
      z
        .array(transferItem)
        .parse(items)
        .map((item) =>
          [
            item.block_number,
            item.transaction_hash,
            item.log_index,
            item.token_type,
            item.token.address_hash,
            item.from.hash,
            item.to.hash,
            item.total.token_id ?? null,
            item.total.value,
          ].join(' '),
        ),
    )
    const theirs = truthTransfers()
      .filter((one) => inTheBlocks(one) && isChosen(one.transactionHash))
      .map((t) =>
        [
          t.blockNumber,
          t.transactionHash,
          t.logIndex,
          t.form,
          t.token,
          t.from,
          t.to,
          t.tokenId,
          t.value,
        ].join(' '),
      )
    expect(theirs.length).toBeGreaterThan(share === 1 ? 2_000 : 1_000 / share)
    expect(ours.sort(), `seed ${testSeed}`).toEqual(theirs.sort())
  },
  timeoutMs,
)
