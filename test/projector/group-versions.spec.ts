import { createHash, type Hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { position } from '../../libs/chain/position.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import type { BlocksGroup, EntityChange } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { anyFacts } from '../../libs/projections/testing/any-facts.ts'
import { foldedAtOnce } from '../../libs/projections/testing/folded-at-once.ts'
import { logOf } from '../../libs/projections/testing/log-of.ts'
import { MemoryState, takenBack } from '../../libs/projections/testing/memory-state.ts'
import { createTable, tableSettings } from '../../libs/tables/declare/ddl.ts'
import {
  type GroupName,
  groupNames,
  groupVersions,
} from '../../libs/tables/declare/group-versions.ts'
import { RowSink } from '../../libs/tables/declare/row-binary.ts'
import type { TableRow } from '../../libs/tables/declare/table.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { factFolds } from '../../services/projector/facts/fact-folds.ts'
import { writeOffsets } from '../../services/projector/facts/fact-offsets.ts'
import { RateBook } from '../../services/projector/facts/rate-book.ts'
import { stateFormat } from '../../services/projector/volume/checkpoint.ts'
import { consecutiveBlocks, singleBlocks } from '../support/mainnet-block.ts'
import { mainnetMessages } from '../support/mainnet-messages.ts'
import { singlesFolder } from '../support/mainnet-truth.ts'

/**
 * A group's version stands for the rows that it makes, and their form, of these messages: whatever
 * changes them needs a version of its own, whose rows lie beside those of the one before.
 */

const recordedForm = z.record(
  z.enum(['inputs', ...groupNames]),
  z.union([z.string(), z.record(z.string(), z.string())]),
)
const file = 'test/projector/group-versions.json'
const recorded = recordedForm.parse(JSON.parse(readFileSync(file, 'utf8')))

const seed = 20_261_130
const seededLogs = 150

/** Each from its beginning: real blocks, and blocks with anything in them. */
async function logs(): Promise<readonly (readonly BlocksMessage[])[]> {
  const row = await mainnetMessages(consecutiveBlocks)
  const single = (number: number) => mainnetMessages([number], singlesFolder)
  const singles = await Promise.all(singleBlocks.map(single))
  const made = fc.sample(anyFacts, { seed, numRuns: seededLogs })
  return [row, ...singles, ...made.map((facts, at) => logOf(facts, at % 3 === 0 ? 500 : at % 3))]
}

/** As they stand on their topics. */
const factsOf = (topic: string): readonly Buffer[] => {
  const examples = JSON.parse(readFileSync(`libs/topics/examples/${topic}.json`, 'utf8'))
  return z
    .array(z.unknown())
    .parse(examples)
    .map((fact) => Buffer.from(JSON.stringify(fact)))
}

const hash = () => createHash('sha256')
const digest = (sum: Hash) => sum.digest('hex').slice(0, 16)

async function hashOfInputs(): Promise<string> {
  const sum = hash()
  for (const log of await logs()) for (const message of log) sum.update(encodeMessage(message))
  for (const { topic } of factFolds) for (const fact of factsOf(topic)) sum.update(fact)
  return digest(sum)
}

/** Columns, keys, codecs and granules, without the version. */
function hashForms(sum: Hash, group: GroupName): void {
  for (const table of allTables.filter((one) => one.group === group)) {
    const [form = ''] = createTable({ ...table, stored: table.name }).split('\nSETTINGS\n')
    const { index_granularity, index_granularity_bytes } = tableSettings(table)
    sum.update(`${form} ${index_granularity} ${index_granularity_bytes}`)
  }
}

function hashRows(sum: Hash, runs: Iterable<readonly TableRow[]>): void {
  const sink = new RowSink()
  for (const { table, row } of [...runs].flat()) {
    sink.text(table.name)
    table.encode(sink, row)
  }
  sum.update(sink.bytes())
}

/** Of all rows and state entries of the messages, then of the newest one taken back. */
function hashFolds(sum: Hash, group: BlocksGroup, messages: readonly BlocksMessage[]): void {
  const state = new MemoryState()
  const write = (at: number, message: BlocksMessage, changes: readonly EntityChange[]) => {
    for (const { entity, id, after } of changes) {
      sum.update(`${entity.tag} ${id} `)
      sum.update(after === undefined ? 'none' : entity.encode(after))
    }
    state.write(changes)
    hashRows(sum, group.rows(message, changes, position(at)))
  }
  let at = 0
  for (const message of messages) {
    at += 1
    if (message.kind === 'block.reverted') throw new Error('no log of these reverts')
    const changes = foldedAtOnce(group.change(state, { ...message, sequence: position(at) }))
    write(at, message, changes)
    if (message !== messages.at(-1) || message.kind !== 'block.applied') continue
    write(at + 1, { ...message, kind: 'block.reverted' }, takenBack(state, changes))
  }
}

async function hashOf(group: GroupName): Promise<string> {
  const sum = hash()
  hashForms(sum, group)
  if (group === 'dimensions') {
    const rates = new RateBook(memoryStateStore())
    for (const { topic, fold } of factFolds) {
      for (const [at, fact] of factsOf(topic).entries()) {
        const folded = fold(fact, position(at + 1), rates)
        if ('invalid' in folded) throw new Error(`${topic}: ${folded.invalid}`)
        hashRows(sum, [folded.message.rows])
      }
    }
    const volume = [...rates.beginCommit(), writeOffsets({})]
    for (const [key, value] of volume) sum.update(key).update(value ?? 'none')
    return digest(sum)
  }
  const folds = { ledger, state: stateGroup }[group]
  sum.update(`${stateFormat}`)
  for (const log of await logs()) hashFolds(sum, folds, log)
  return digest(sum)
}

test('the messages are those that were recorded', async () => {
  const found = await hashOfInputs()
  const advice = `record "${found}" in ${file}, and the groups again with the folds as they were`
  expect(found, advice).toBe(recorded.inputs)
})

test.each(groupNames)('%s makes the rows that its version stands for', async (group) => {
  const version = groupVersions[group]
  const known = z.record(z.string(), z.string()).parse(recorded[group])
  const found = await hashOf(group)
  const advice =
    `${group} folds to other rows, or stores them in another form: raise its version in ` +
    `libs/tables/declare/group-versions.ts and add "${version + 1}": "${found}" in ${file}`
  expect(found, advice).toBe(known[version])
  expect(Object.keys(known).map(Number), 'each version once').toEqual(
    Array.from({ length: version }, (_, at) => at + 1),
  )
})
