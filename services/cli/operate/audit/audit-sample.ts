import pLimit from 'p-limit'
import type { Address } from '../../../../libs/chain/hex.ts'
import { randomOf, seedOf } from '../../../demo-chain/random.ts'
import { boundedFetch } from '../explorer/bounded-fetch.ts'
import type { AuditOptions, AuditReport, Noted } from './audit-report.ts'
import { AuditTally, type Notable } from './audit-tally.ts'
import type { Moving } from './check-address.ts'
import type { PageLook } from './finding.ts'
import {
  drawnPagesMax,
  type LookOptions,
  looksOfAddress,
  looksOfToken,
  looksOfTransaction,
  namedPagesMax,
} from './looks-of-subject.ts'
import type { ShownToken } from './shown-bodies.ts'
import {
  type DrawnTransaction,
  drawnBlock,
  drawnTransaction,
  NamedSubjects,
} from './subjects-of-blocks.ts'
import { failedLook, someOf, type Witnesses } from './witnesses.ts'

/** Compares a sample of what Foldscan shows with the node's state at the same block. */
export const auditSample = (options: AuditOptions): Promise<AuditReport> =>
  new Audit(options).report()

/** Pages that are looked at together. */
const looksMax = 4
/** Subjects whose pages are: those of pages that differ wait to be looked at again. */
const subjectsMax = 16
/** Looks in a row that the node failed, after which it is asked no more. */
const nodeFailuresMax = 8
/** Blocks that are drawn for each transaction: quiet chains have many empty ones. */
const drawsPerTransaction = 4

/** Subjects that were looked at. */
interface Counts {
  transactions: number
  tokens: number
  addresses: number
}

/** Shares of the time, when each is over: a few great tokens must not take all of it. */
const partEnds: Readonly<Counts> = { transactions: 0.4, tokens: 0.8, addresses: 1 }

const nothingSeen: PageLook = { findings: [], failure: null }

class Audit {
  readonly #options: AuditOptions
  readonly #api: ReturnType<typeof boundedFetch>
  readonly #tally = new AuditTally()
  readonly #named = new NamedSubjects()
  readonly #shown = new Map<Address, ShownToken>()
  readonly #beganMs = performance.now()
  #endMs: number
  readonly #counts: Counts = { transactions: 0, tokens: 0, addresses: 0 }
  #notIndexed = 0
  #nodeFailures = 0
  #witnesses = 0
  #lowest = Number.POSITIVE_INFINITY
  #highest = 0
  #isCutOff = false

  readonly #turns = pLimit(looksMax)
  readonly #looking: LookOptions

  constructor(options: AuditOptions) {
    this.#options = options
    const { signal, wait, pausesMs, onLook } = options
    this.#looking = {
      ...(wait === undefined ? { signal } : { signal, wait }),
      ...(pausesMs === undefined ? {} : { pausesMs }),
      ...(onLook === undefined ? {} : { onLook }),
      inTurn: (look) => this.#lookInTurn(look),
      isOver: () => this.#isOver(),
    }
    this.#api = boundedFetch(options.api)
    this.#endMs = this.#beganMs
  }

  async report(): Promise<AuditReport> {
    this.#beginPart('transactions')
    await this.#compareTransactions(await this.#drawn())
    this.#beginPart('tokens')
    await this.#compareTokens()
    this.#beginPart('addresses')
    await this.#compareAddresses()
    const tally = this.#tally
    const noted = (outcome: Notable): Noted => ({
      count: tally.count(outcome),
      examples: tally.examples(outcome),
    })
    return {
      status: this.#status(),
      seed: this.#options.seed,
      ...this.#counts,
      blocks: this.#highest === 0 ? null : { from: this.#lowest, to: this.#highest },
      rows: tally.rows,
      ...{ differing: noted('differing'), unknown: noted('unknown'), moved: noted('moved') },
      failures: tally.failures,
      notIndexed: this.#notIndexed,
      isCutOff: this.#isCutOff,
    }
  }

  #status(): AuditReport['status'] {
    const tally = this.#tally
    if (tally.count('differing') > 0) return 'differs'
    const isUnanswered = tally.failures.some(({ side }) => side !== 'moved')
    const isNothing = tally.count('equal') + tally.count('unknown') === 0
    return isUnanswered || isNothing || this.#isCutOff ? 'incomplete' : 'equal'
  }

  async #drawn(): Promise<DrawnTransaction[]> {
    const { sample, indexed } = this.#options
    const drawn: DrawnTransaction[] = []
    const missing: DrawnTransaction[] = []
    const hashes = new Set<string>()
    const emptied = new Set<number>()
    const isDone = () => drawn.length >= sample || emptied.size >= indexed || this.#isOver()
    const drawsMax = sample * drawsPerTransaction
    for (let nth = 0; nth < drawsMax && !isDone(); nth++) {
      const witnesses = this.#witnessesOfNext()
      const number = drawnBlock(witnesses, nth, indexed)
      if (emptied.has(number)) continue
      const found = await drawnTransaction(witnesses, number, hashes).catch((error: unknown) =>
        failedLook(error, `block ${number}`),
      )
      if (found === null) emptied.add(number)
      else if ('failure' in found) {
        this.#noteSide(found)
        this.#add([found])
      } else if (found.isIndexed) {
        drawn.push(found)
        this.#named.add(found.transfers ?? [])
      } else {
        missing.push(found)
        emptied.add(number)
      }
    }
    // A chain need not be indexed from its beginning; but what came before such a block has to be.
    const lowest = Math.min(...drawn.map(({ whole }) => whole.block.number))
    const lost = missing.filter(({ whole }) => whole.block.number > lowest)
    this.#notIndexed = missing.length - lost.length
    return [...drawn, ...lost]
  }

  async #compareTransactions(drawn: readonly DrawnTransaction[]): Promise<void> {
    await this.#together('transactions', drawn, async (one) =>
      looksOfTransaction(this.#witnessesOfNext(), one, this.#looking),
    )
  }

  async #compareTokens(): Promise<void> {
    const { sample, token: given, holderPagesMax = drawnPagesMax } = this.#options
    const drawn = someOf(this.#witnessesOfNext().random, [...this.#named.tokens], sample)
    const tokens = new Set([...(given === null ? [] : [given]), ...drawn])
    await this.#together('tokens', [...tokens], async (token) => {
      const isNamed = token === given
      const wanted = { token, isNamed, pagesMax: isNamed ? namedPagesMax : holderPagesMax }
      const witnesses = this.#witnessesOfNext()
      const { looks, shown } = await looksOfToken(witnesses, wanted, this.#looking)
      if (shown !== null) this.#shown.set(token, shown)
      return looks
    })
  }

  async #compareAddresses(): Promise<void> {
    const { random } = this.#witnessesOfNext()
    const drawn = someOf(random, [...this.#named.movings], this.#options.sample)
    await this.#together('addresses', drawn, async ([holder, transfers]) => {
      const movings = transfers.flatMap(({ token, tokenId }): Moving[] => {
        const shown = this.#shown.get(token)
        return shown === undefined ? [] : [{ token: shown, tokenId }]
      })
      return looksOfAddress(this.#witnessesOfNext(), { holder, movings }, this.#looking)
    })
  }

  /** What a round found is counted in the order of its subjects, whichever was first. */
  async #together<T>(
    kind: keyof Counts,
    subjects: readonly T[],
    looksOf: (subject: T) => Promise<readonly PageLook[]>,
  ): Promise<void> {
    for (let at = 0; at < subjects.length; at += subjectsMax) {
      if (this.#isOver()) return
      const round = subjects.slice(at, at + subjectsMax)
      for (const looks of await Promise.all(round.map(looksOf))) {
        this.#add(looks)
        if (looks.some((look) => look !== nothingSeen)) this.#counts[kind] += 1
      }
      const { transactions, tokens, addresses } = this.#counts
      this.#options.onProgress?.(transactions + tokens + addresses)
    }
  }

  /** So many pages at once, and none once the time is over, or a side is away. */
  #lookInTurn(look: () => Promise<PageLook>): Promise<PageLook> {
    return this.#turns(async () => {
      if (this.#isOver()) return nothingSeen
      const found = await look()
      this.#noteSide(found)
      return found
    })
  }

  #noteSide({ failure }: PageLook): void {
    this.#nodeFailures = failure?.side === 'node' ? this.#nodeFailures + 1 : 0
  }

  #add(looks: readonly PageLook[]): void {
    for (const look of looks) {
      this.#tally.add(look)
      for (const { block } of look.findings) {
        this.#lowest = Math.min(this.#lowest, block)
        this.#highest = Math.max(this.#highest, block)
      }
    }
  }

  #beginPart(kind: keyof Counts): void {
    this.#endMs = this.#beganMs + this.#options.timeMs * partEnds[kind]
  }

  #isOver(): boolean {
    const isLate = performance.now() > this.#endMs
    if (isLate) this.#isCutOff = true
    const isAway = this.#api.isAway() || this.#nodeFailures >= nodeFailuresMax
    return this.#options.signal.aborted || isLate || isAway
  }

  /** Each subject has numbers of its own: which is first does not change those of others. */
  #witnessesOfNext(): Witnesses {
    const { node, seed, coinEmitters } = this.#options
    const random = randomOf(seedOf(seed, this.#witnesses++))
    return { api: this.#api.fetchPage, node, random, coinEmitters }
  }
}
