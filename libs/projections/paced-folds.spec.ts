import { expect, test } from 'vitest'
import type { Block, Call, TransactionLog } from '../chain/block.ts'
import { address, zeroAddress } from '../chain/hex.ts'
import { unknownPlace } from '../chain/node-fields.ts'
import type { BlockApplied } from '../topics/blocks.ts'
import type { BlocksGroup } from './group.ts'
import { ledger } from './ledger/ledger.ts'
import { stateGroup } from './state/state-group.ts'
import { alice, bob, consecutiveLog, contract, emitted, transferLog } from './testing/facts.ts'
import { listed } from './testing/folded-at-once.ts'
import { logOf } from './testing/log-of.ts'
import { MemoryState } from './testing/memory-state.ts'

/** Logs, or calls, of one transaction. */
const count = 20_000
/** Looks at them between two places where the process's other work has a turn. */
const looksMax = 4_000

/** Counts looks at logs or calls. */
class Looks {
  #since = 0
  most = 0

  of<T extends object>(one: T, key: keyof T): T {
    const look = () => {
      this.#since += 1
      this.most = Math.max(this.most, this.#since)
      return value
    }
    const value = one[key]
    return Object.defineProperty({ ...one }, key, { get: look, enumerable: true })
  }

  pause(): void {
    this.#since = 0
  }
}

const [plain] = logOf([emitted(transferLog(contract(1), [alice, bob], 1n))])

function blockWith(extras: { logs?: readonly TransactionLog[]; calls?: readonly Call[] }): Block {
  if (plain?.kind !== 'block.applied') throw new Error('no block')
  const { block } = plain
  return { ...block, transactions: block.transactions.map((one) => ({ ...one, ...extras })) }
}

/** Up to the first rows. */
function fold(group: BlocksGroup, block: Block, looks: Looks): void {
  if (plain?.kind !== 'block.applied') throw new Error('no block')
  const message: BlockApplied = { ...plain, block }
  const { sequence } = message
  const folding = group.change(new MemoryState(), message)
  looks.pause()
  let step = folding.next()
  for (; step.done !== true; step = folding.next()) looks.pause()
  for (const rows of group.rows(message, listed(step.value), sequence)) {
    looks.pause()
    if (rows.length > 0) break
  }
}

const range = consecutiveLog(contract(2), [zeroAddress, alice], [1n, 0n])

test.each([
  ['logs that mean nothing', { address: contract(1), topics: [], data: range.data }, stateGroup],
  ['ranges that run backwards', range, stateGroup],
  ['ranges that run backwards', range, ledger],
] as const)('a transaction of very many %s is read with pauses', (_, fact, group) => {
  const looks = new Looks()
  const logs = Array.from({ length: count }, (_, index) => looks.of({ ...fact, index }, 'topics'))
  fold(group, blockWith({ logs }), looks)
  expect(looks.most).toBeGreaterThan(0)
  expect(looks.most).toBeLessThan(looksMax)
})

test('a transaction of very many calls is read with pauses', () => {
  const looks = new Looks()
  const said = { type: 'CALL', from: alice, value: 0n, error: null, selector: null }
  const call = { ...said, ...unknownPlace }
  const calls = Array.from({ length: count }, (_, at) =>
    looks.of<Call>({ ...call, to: address(`0x${(at + 1).toString(16).padStart(40, '0')}`) }, 'to'),
  )
  fold(stateGroup, blockWith({ calls }), looks)
  expect(looks.most).toBeGreaterThan(0)
  expect(looks.most).toBeLessThan(looksMax)
})
