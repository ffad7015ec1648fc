import type { Address, Hash } from '../../libs/chain/hex.ts'
import type { EventLog, StoredMessage } from '../../libs/ports/event-log.ts'
import { accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import type { BlockApplied, StateObserved } from '../../libs/topics/blocks.ts'
import { MessageAssembler } from '../../libs/topics/parts.ts'
import { seededRandom } from '../seeded-random.ts'
import type { GiftChain, GiftPair } from './gift-chain.ts'
import { PairMarks } from './pair-marks.ts'

const topic = 'blocks'
const readLimit = { messagesMax: 64, bytesMax: 16 * 1024 * 1024 }
/** Of a log, for which the node is asked once more. */
const askedAgainMax = 1_000

export interface PublishedBlock {
  readonly offset: number
  /** Values that were observed before it. */
  readonly valuesBefore: number
}

/** A log whose observations are all as they must be. */
export interface CheckedLog {
  readonly blocks: ReadonlyMap<number, PublishedBlock>
  /** Values that it observes. */
  readonly observed: number
  /** Those, and the blocks. */
  readonly checkedAnswers: number
  /** Pairs that it moves, and those of them that it observes. */
  readonly pairs: Pick<PairMarks, 'moved' | 'observed'>
}

/**
 * Compares each value that a log observes with what was given until that block, and a sample with
 * the node; and the transfers of each block with their number.
 *
 * @throws if one differs
 */
export async function checkObserved(
  eventLog: EventLog,
  chain: GiftChain,
  fromBlock: number,
): Promise<CheckedLog> {
  const checking = new Checking(chain, fromBlock)
  const assembling = new MessageAssembler((offset) => valueAt(eventLog, offset))
  const end = await eventLog.end(topic)
  let accepted = nothingAccepted
  for (let next = 0; next < end; ) {
    const records = await eventLog.read(topic, next, readLimit)
    if (records.length === 0) throw new Error(`the log has no record ${next}`)
    for (const record of records) {
      next = record.offset + 1
      const made = await assembling.add(record)
      if (made === null) continue
      if ('invalid' in made.decoded) throw new Error(made.decoded.invalid)
      const { message } = made.decoded
      const fate = accept(accepted, message)
      if (fate.fate === 'skipped') throw new Error(`record ${record.offset}: ${fate.detail}`)
      assembling.accepted()
      accepted = fate.next
      if (message.kind === 'block.applied') checking.block(message, record.offset)
      else if (message.kind === 'state.observed') checking.observation(message)
      else throw new Error(`record ${record.offset} is a ${message.kind}`)
    }
  }
  return checking.end()
}

async function valueAt(eventLog: EventLog, offset: number): Promise<Uint8Array | undefined> {
  const one = { messagesMax: 1, bytesMax: 1 }
  const [stored]: readonly StoredMessage[] = await eventLog.read(topic, offset, one)
  return stored?.offset === offset ? stored.value : undefined
}

class Checking {
  readonly #chain: GiftChain
  readonly #marks: PairMarks
  readonly #blocks = new Map<number, PublishedBlock & { readonly hash: Hash }>()
  readonly #random = seededRandom(1)
  readonly #sample: GiftPair[] = []
  #holders = 0
  #observed = 0

  constructor(chain: GiftChain, fromBlock: number) {
    this.#chain = chain
    this.#marks = new PairMarks(chain, fromBlock)
  }

  block({ block: { number, hash, transactions } }: BlockApplied, offset: number): void {
    const chain = this.#chain
    const transfers = transactions.reduce((sum, { logs }) => sum + logs.length, 0)
    const given = chain.givenAt(number) - chain.givenAt(number - 1)
    if (transfers !== given)
      throw new Error(`block ${number}: ${transfers} transfers, not ${given}`)
    this.#blocks.set(number, { hash, offset, valuesBefore: this.#observed })
  }

  observation({ block, hash, balances, supplies, owners }: StateObserved): void {
    if (this.#blocks.get(block)?.hash !== hash) throw new Error(`block ${hash} is not in the log`)
    if (owners.length > 0) throw new Error(`block ${block}: owners of no ids`)
    for (const { token, value } of supplies) this.#value(block, { token, holder: null, value })
    for (const { token, holder, value } of balances) {
      this.#value(block, { token, holder, value })
      this.#marks.note({ token, holder })
      if (holder !== this.#chain.giver) this.#take({ token, holder })
    }
  }

  #value(block: number, { token, holder, value }: Observed): void {
    const expected = this.#chain.valueAfter(block, token, holder)
    this.#observed += 1
    if (value === expected) return
    const name = `${token} ${holder ?? 'supply'} after block ${block}`
    throw new Error(`${name}: observed ${value}, not ${expected}`)
  }

  /** Each pair with the same chance. */
  #take(pair: GiftPair): void {
    this.#holders += 1
    const at = this.#random.below(this.#holders)
    if (this.#sample.length < askedAgainMax) this.#sample.push(pair)
    else if (at < askedAgainMax) this.#sample[at] = pair
  }

  async end(): Promise<CheckedLog> {
    const values = await this.#chain.valuesNow(this.#sample)
    const wrong = values.findIndex((value) => value !== 1n)
    const { token, holder } = this.#sample[wrong] ?? {}
    if (wrong >= 0) throw new Error(`the node: ${token} ${holder} has ${values[wrong]}, not 1`)
    return {
      blocks: this.#blocks,
      observed: this.#observed,
      checkedAnswers: this.#observed + this.#blocks.size,
      pairs: this.#marks,
    }
  }
}

interface Observed extends Pick<GiftPair, 'token'> {
  readonly holder: Address | null
  readonly value: bigint
}
