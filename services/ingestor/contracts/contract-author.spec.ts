import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sourceOver } from '../../../libs/adapters/rpc/rpc-source.ts'
import {
  BatchRefused,
  ResponseTooLarge,
  rpcLimits,
} from '../../../libs/adapters/rpc/transport/rpc-transport.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import { SourceError } from '../../../libs/ports/chain-source.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import {
  alice,
  bob,
  contract,
  depositLog,
  transferLog,
} from '../../../libs/projections/testing/facts.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import type { PlannedBlock } from '../../../test/faults/planned-block.ts'
import { random } from '../../../test/queries/random.ts'
import { chainInLog } from '../../../test/support/chain-in-log.ts'
import {
  type Author,
  type AuthoredAnswer,
  authored,
} from '../../../test/support/contract-author.ts'
import { NodeOfValues } from '../../../test/support/node-of-values.ts'
import { plannedChain, plannedFiles } from '../../../test/support/planned-files.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { upToHead } from '../repair.ts'
import { startInMemory } from '../testing/start-in-memory.ts'

const limits = { ...rpcLimits, retriesMax: 2, retryMinMs: 0, retryMaxMs: 1 }
const pauses = { retryMinMs: 0, retryMaxMs: 1, blocksAheadMax: 1 }
const runs = { seed: testSeed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 15) }

const honest = contract(1)
const honestCoin = contract(2)
const foes = [contract(0xbad1), contract(0xbad2), contract(0xbad3)]

/** Each block moves an honest token and coin, and something of each contract of the author. */
function chainOf(count: number): readonly PlannedBlock[] {
  const logsOf = (token: Address) => [
    transferLog(token, [alice, bob], 1n),
    depositLog(token, bob, 2n),
  ]
  const logs = [transferLog(honest, [alice, bob], 1n), ...[honestCoin, ...foes].flatMap(logsOf)]
  const call = { from: alice, to: honest, value: 0n, input: '0x01' as const, logs }
  return plannedChain(Array.from({ length: count }, () => [call]))
}

/** Publishes the chain of a node. @returns null when more requests are sent than may be */
async function publishedFrom(blocks: readonly PlannedBlock[], author: Author, requestsMax: number) {
  const node = new NodeOfValues(plannedFiles(blocks))
  const answer = authored(node, author)
  const tooMany = new Promise<string>((resolve) => {
    node.always = (calls, ids) => {
      if (node.asked.length > requestsMax) resolve(`${node.asked.length} requests`)
      return answer(calls, ids)
    }
  })
  const source = await upToHead(await sourceOver(node, limits, { log: silentLog }))
  const eventLog = memoryEventLog()
  const ingestor = await startInMemory({ source, eventLog, limits: pauses })
  const end = await Promise.race([ingestor.done, ingestor.failed, tooMany])
  await ingestor.stop()
  if (end !== undefined) throw new Error(`${end} at block ${ingestor.status().block}`)
  return { ...(await chainInLog(eventLog)), requests: node.asked.length }
}

const words = fc.constantFrom(
  'too many requests',
  'execution reverted: too many requests',
  'rate limit exceeded',
  'execution reverted: invalid argument 1: blockhash',
  'missing trie node 5d1f (path )',
  'header not found',
  'the method eth_call does not exist',
  'state not available, archive node needed',
)
const codes = fc.constantFrom(3, -32000, -32005, -32015, -32016, -32601, -32602, -32603, 429)
const faults = fc.constantFrom<Error>(
  new ResponseTooLarge(1),
  new BatchRefused('the batch response was too large'),
  new SourceError('timed-out', 'no whole answer'),
  new SourceError('unreachable', 'the connection was closed'),
  new SourceError('unavailable', 'the node answers 502'),
  new SourceError('rate-limited', 'the node answers 429'),
  new SourceError('wrong-answer', 'the node answered with something else than JSON'),
)
const answers: fc.Arbitrary<AuthoredAnswer> = fc.oneof(
  fc.record({
    error: fc.record(
      {
        code: fc.oneof(codes, fc.integer()),
        message: fc.oneof(words, fc.string()),
        data: fc.oneof(fc.constant('0x08c379a0'), fc.jsonValue()),
      },
      { requiredKeys: ['code', 'message'] },
    ),
  }),
  fc.record({ result: fc.oneof(fc.jsonValue(), fc.constant(`0x${'ff'.repeat(100_000)}`)) }),
  fc.constant({ missing: true } as const),
  fc.record({ fault: faults }),
)

/** What a contract answers to the nth question, again from the beginning after the last. */
const authorOf = (said: readonly (readonly AuthoredAnswer[])[]): Author => {
  const asked = new Map<Address, number>()
  return (to) => {
    const turn = asked.get(to) ?? 0
    asked.set(to, turn + 1)
    const own = said[foes.indexOf(to)]
    return own?.[turn % own.length]
  }
}

const blocksCount = 3
/**
 * Of a block: itself and the head, codes, its tokens and its balances. Of these two whether the
 * node is well, a first request for all, and two more for each of five and of four contracts.
 */
const requestsMax = blocksCount * (4 + 1 + (2 + 2 * 5) + (2 + 2 * 4))

describe('the author of a contract', () => {
  it('holds up no block, whatever he lets the node answer', async () => {
    const chain = chainOf(blocksCount)
    const perFoe = fc.array(answers, { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.tuple(perFoe, perFoe, perFoe), async (said) => {
        const { standing, accepted } = await publishedFrom(chain, authorOf(said), requestsMax)
        expect([...standing.values()]).toEqual(chain.map(({ hash }) => hash))
        const named = accepted.flatMap((it) => (it.kind === 'block.applied' ? it.tokens : []))
        expect(named).toContainEqual(expect.objectContaining({ address: honest, name: 'Honest' }))
        const last = accepted.findLast((it) => it.kind === 'state.observed')
        const told = { token: honestCoin, holder: bob, value: 500n }
        expect(last).toMatchObject({ block: blocksCount - 1 })
        expect(last?.balances).toContainEqual(expect.objectContaining(told))
      }),
      runs,
    )
  })

  it('holds up no block with the reason of a revert', async () => {
    const error = { code: 3, message: 'execution reverted: too many requests', data: '0x08c379a0' }
    const author: Author = (to) => (foes.includes(to) ? { error } : undefined)
    const { standing } = await publishedFrom(chainOf(blocksCount), author, requestsMax)
    expect(standing.size).toBe(blocksCount)
  })

  it('holds up no block although the node breaks down at each call of a contract', async () => {
    const node = new NodeOfValues(plannedFiles(chainOf(blocksCount)))
    let isDown = false
    node.always = (calls) => {
      const [call] = calls
      // Each time it is up again for the next block.
      if (call?.method === 'eth_getBlockByNumber') isDown = false
      if (call?.method === 'eth_call') isDown = true
      if (isDown) throw new SourceError('unreachable', 'connection refused')
      return undefined
    }
    const source = await upToHead(await sourceOver(node, limits, { log: silentLog }))
    const eventLog = memoryEventLog()
    const warnings: string[] = []
    const log = {
      ...silentLog,
      warn: (_: unknown, sentence: string) => void warnings.push(sentence),
    }
    const ingestor = await startInMemory({ source, eventLog, log, limits: pauses })
    await ingestor.done
    await ingestor.stop()
    expect((await chainInLog(eventLog)).standing.size).toBe(blocksCount)
    expect(warnings.filter((it) => it.includes('published without'))).toHaveLength(blocksCount)
  })
})

describe('a provider of which one backend of three is pruned', () => {
  it('returns every name and every balance in the end', async () => {
    // Long enough for all attempts of a token: in 60 blocks, and of two backends, one run of 25 had
    // a token whose three attempts all met the pruned one.
    const count = 240
    const node = new NodeOfValues(plannedFiles(chainOf(count)))
    const answer = authored(node, () => undefined)
    const chosen = random(testSeed)
    const stateMethods = ['eth_call', 'eth_getCode', 'eth_getBalance']
    const error = { code: -32000, message: 'missing trie node 12ab' }
    node.always = (calls, ids) => {
      const isOfState = calls.some(({ method }) => stateMethods.includes(method))
      const isPruned = isOfState && chosen.below(3) === 0
      return isPruned ? ids.map((id) => ({ id, error })) : answer(calls, ids)
    }
    const source = await upToHead(await sourceOver(node, limits, { log: silentLog }))
    const eventLog = memoryEventLog()
    const ingestor = await startInMemory({ source, eventLog, limits: pauses })
    await ingestor.done
    await ingestor.stop()
    const { accepted, standing } = await chainInLog(eventLog)
    expect(standing.size, `seed ${testSeed}`).toBe(count)
    const named = accepted.flatMap((it) => (it.kind === 'block.applied' ? it.tokens : []))
    expect(
      named.map(({ address }) => address),
      `seed ${testSeed}`,
    ).toEqual(expect.arrayContaining([honest, honestCoin, ...foes]))
    const seen = accepted.flatMap((it) => (it.kind === 'state.observed' ? [it] : []))
    // Each block touches the coin: an archive node would tell all of them.
    expect(seen.length, `seed ${testSeed}`).toBeGreaterThan(count / 2)
    const last = seen.findLast(({ balances }) => balances.some((it) => it.token === honestCoin))
    expect(last?.block).toBeGreaterThan(count / 2)
  })
})
