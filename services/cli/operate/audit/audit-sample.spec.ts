import { describe, expect, test } from 'vitest'
import type { NodeReader } from '../../../../libs/adapters/rpc/node-reader.ts'
import { hash } from '../../../../libs/chain/hex.ts'
import { SourceError } from '../../../../libs/ports/chain-source.ts'
import { ExplorerError, type FetchPage } from '../explorer/explorer.ts'
import type { AuditReport } from './audit-report.ts'
import { auditSample } from './audit-sample.ts'
import { auditText } from './audit-text.ts'
import {
  type Alter,
  alice,
  art,
  blockNumber,
  bob,
  coin,
  foldscan,
  items,
  nodeOf,
  transactionHash,
} from './testing/audited-world.ts'
import { laterTransaction, withOneBlockMore } from './testing/one-block-more.ts'

const { signal } = new AbortController()

const audited = (api: FetchPage, node: NodeReader = nodeOf()): Promise<AuditReport> =>
  auditSample({
    ...{ api, node, signal, indexed: blockNumber, sample: 10, token: null, seed: 3 },
    ...{ timeMs: 60_000, wait: async () => {}, coinEmitters: new Set<string>() },
  })

const replaced =
  (one: string, other: string): Alter =>
  (body) => {
    if (!body.includes(one)) throw new Error(`${one} is not in ${body}`)
    return body.replace(one, other)
  }

const tokens = '/api/v2/tokens'
const addresses = '/api/v2/addresses'
const transactions = '/api/v2/transactions'

test('nothing differs where both say the same', async () => {
  const report = await audited(foldscan())
  expect(report).toMatchObject({
    status: 'equal',
    ...{ transactions: 1, tokens: 3, addresses: 2, blocks: { from: 5, to: 5 } },
    ...{ differing: { count: 0 }, moved: { count: 0 }, failures: [], notIndexed: 0 },
  })
  const kinds = report.rows.map(({ kind, standard }) => `${kind} ${standard}`)
  expect(kinds).toEqual([
    ...['transactions null', 'logs null', 'transfers ERC-20', 'transfers ERC-721'],
    ...['transfers ERC-1155', 'words ERC-20', 'words ERC-721', 'supplies ERC-20'],
    ...['supplies ERC-721', 'counters ERC-20', 'counters ERC-721', 'counters ERC-1155'],
    ...['balances ERC-20', 'balances ERC-721', 'balances ERC-1155'],
    ...['holders ERC-20', 'holders ERC-721', 'holders ERC-1155', 'owners ERC-721'],
    'owners ERC-1155',
  ])
  for (const { equal, checked } of report.rows.filter(({ kind }) => kind !== 'counters')) {
    expect(equal).toBe(checked)
  }
})

describe('a value that Foldscan shows wrong is found:', () => {
  const wrong = [
    ['words', `${tokens}/${coin}`, '"Coin"', '"Koin"', 'name', 'Koin', 'Coin'],
    ['words', `${tokens}/${coin}`, '"CN"', '"CM"', 'symbol', 'CM', 'CN'],
    ['words', `${tokens}/${coin}`, '"2","type', '"3","type', 'decimals', '3', '2'],
    ['supplies', `${tokens}/${coin}`, '"100"', '"99"', 'total_supply', '99', '100'],
    ['counters', `${tokens}/${coin}`, 'count":"2"', 'count":"3"', 'holders_count', '3', '2'],
    ['holders', `${tokens}/${coin}/holders`, '"90"', '"91"', alice, '91', '90'],
    ['holders', `${tokens}/${art}/holders`, '"1"', '"2"', bob, '2', '1'],
    ['holders', `${tokens}/${items}/holders`, '"2"', '"3"', `${bob} id 3`, '3', '2'],
    ['balances', `${addresses}/${alice}/token-balances`, '"90"', '"9"', coin, '9', '90'],
    ['owners', `${addresses}/${bob}/nft`, 'id":"7"', 'id":"8"', `${art} id 8`, bob, 'no owner'],
    ['owners', `${addresses}/${bob}/nft`, 'value":"2"', 'value":"4"', `${items} id 3`, '4', '2'],
    [
      ...['transactions', `${addresses}/${alice}/transactions`, '"nonce":4', '"nonce":5'],
      ...['nonce', '5', '4'],
    ],
    [
      ...['transactions', `${addresses}/${coin}/transactions`, '"450000"', '"450001"'],
      ...['fee', '450001', '450000'],
    ],
    [
      ...['transactions', `${addresses}/${coin}/transactions`, 'contract":null'],
      ...[`contract":{"hash":"${bob}"}`, 'created_contract', bob, 'nothing'],
    ],
    [
      ...['transactions', `${transactions}/${transactionHash}/summary`, '"ok"', '"error"'],
      ...['status', 'error', 'ok'],
    ],
    [
      ...['transactions', `${transactions}/${transactionHash}/summary`, '31337', '1'],
      ...['chain_id', '1', '31337'],
    ],
    [
      ...['transfers', `${transactions}/${transactionHash}/token-transfers`, '"10"', '"11"'],
      ...[`0: ${coin} ${alice} to ${bob}`, '11', '10'],
    ],
    [
      ...['transfers', `${tokens}/${items}/transfers`, '"value":"2"', '"value":"1"'],
      ...[`2: ${items} 0x${'00'.repeat(20)} to ${bob} id 3`, '1', '2'],
    ],
    [
      ...['owners', `${tokens}/${art}/transfers`, `"owner":{"hash":"0x${'B0'.repeat(20)}"}`],
      ...[`"owner":{"hash":"${alice}"}`, 'owner of id 7', alice, bob],
    ],
  ].map(([kind, path = '', one = '', other = '', field, shown, told]) => {
    return { kind, path, one, other, field, shown, told }
  })
  test.each(wrong)('$kind: $field of $path', async ({ path, one, other, ...expected }) => {
    const { kind, field, shown, told } = expected
    const report = await audited(foldscan({ [path]: replaced(one, other) }))
    expect([report.status, report.moved.count]).toEqual(['differs', 0])
    const found = report.differing.examples.find((at) => at.kind === kind && at.field === field)
    expect(found, JSON.stringify(report.differing)).toMatchObject({ block: 5, shown, told })
    expect(found?.path.startsWith(path)).toBe(true)
  })

  test.each([
    ['data', '"data":"0x0', '"data":"0x1'],
    ['topics', 'b3ef', 'b3ee'],
    ['place', '"index":0', '"index":1'],
  ])('a log by its %s', async (_, one, other) => {
    const path = `${addresses}/${coin}/logs`
    const report = await audited(foldscan({ [path]: replaced(one, other) }))
    expect(report.differing.examples[0]).toMatchObject({ kind: 'logs', field: 'log 0' })
  })
})

const nothingIn: Alter = () => JSON.stringify({ items: [], next_page_params: null })

describe('what Foldscan does not show', () => {
  test.each([
    ['transactions', `${addresses}/${alice}/transactions`, 'hash'],
    ['logs', `${addresses}/${coin}/logs`, 'log 0'],
    ['transfers', `${tokens}/${coin}/transfers`, `0: ${coin} ${alice} to ${bob}`],
  ])('differs where the log has to have it: %s', async (kind, path, field) => {
    const report = await audited(foldscan({ [path]: nothingIn }))
    expect(report.differing.examples).toEqual([
      expect.objectContaining({ kind, field, shown: null }),
    ])
  })

  test('differs where all balances of the token are known', async () => {
    const path = `${addresses}/${alice}/token-balances`
    const report = await audited(foldscan({ [path]: () => '[]' }))
    expect(report.differing.examples).toEqual([
      expect.objectContaining({ kind: 'balances', field: coin, shown: null, told: '90' }),
    ])
  })

  test('is unknown where they are not', async () => {
    const withoutItems: Alter = (body) => JSON.stringify(JSON.parse(body).slice(0, 2))
    const report = await audited(
      foldscan({
        [`${addresses}/${bob}/token-balances`]: withoutItems,
        [`${tokens}/${coin}`]: replaced('"Coin"', 'null'),
      }),
    )
    expect(report.status).toBe('equal')
    expect(report.unknown.examples.map(({ kind, field }) => `${kind} ${field}`)).toEqual([
      'words name',
      'counters holders_count',
      `balances ${items} id 3`,
    ])
    const words = report.rows.find(
      ({ kind, standard }) => kind === 'words' && standard === 'ERC-20',
    )
    expect(words).toMatchObject({ checked: 3, equal: 2, unknown: 1, coverage: 2 / 3 })
  })

  test('is no difference where its block is not indexed', async () => {
    const api: FetchPage = async () => ({ status: 404, body: {}, head: blockNumber })
    const report = await audited(api)
    expect(report).toMatchObject({ status: 'incomplete', notIndexed: 1, transactions: 0 })
    expect(auditText(report)).toContain('1 blocks of the node are not indexed')
  })

  test('is one where Foldscan has an earlier block', async () => {
    const report = await auditSample({
      ...{ api: foldscan({}, () => 6), node: withOneBlockMore(), signal, indexed: 6, sample: 10 },
      ...{ token: null, seed: 3, timeMs: 60_000, wait: async () => {} },
      coinEmitters: new Set<string>(),
    })
    expect(report).toMatchObject({ status: 'differs', notIndexed: 0, transactions: 2 })
    const [first] = report.differing.examples
    expect(first?.path).toContain(`/api/v2/transactions/${laterTransaction}/`)
  })
})

test('a contract that does not answer is no difference', async () => {
  const node = nodeOf({
    [`${coin} balanceOf ${bob}`]: 'unanswered',
    [`${coin} name`]: 'unanswered',
  })
  const report = await audited(foldscan(), node)
  expect(report.status).toBe('equal')
  expect(report.rows.filter(({ unanswered }) => unanswered > 0)).toMatchObject([
    { kind: 'words', standard: 'ERC-20', unanswered: 1 },
    { kind: 'supplies', standard: 'ERC-721', unanswered: 1 },
    { kind: 'balances', standard: 'ERC-20', unanswered: 1 },
    { kind: 'holders', standard: 'ERC-20', unanswered: 1 },
  ])
})

test('what differs once and not again has moved', async () => {
  let looks = 0
  const path = `${tokens}/${art}`
  const once: Alter = (body) => (looks++ === 0 ? body.replace('"Art"', '"Arts"') : body)
  const report = await audited(foldscan({ [path]: once }))
  expect(report).toMatchObject({ status: 'equal', differing: { count: 0 }, moved: { count: 1 } })
  expect(report.moved.examples).toMatchObject([{ kind: 'words', field: 'name' }])
})

test('a block that was replaced is looked at again, and then is not compared', async () => {
  let headers = 0
  const node = nodeOf(
    {},
    {
      header: async (number) => {
        headers += 1
        return {
          number,
          hash: hash(`0x${'66'.repeat(32)}`),
          parentHash: hash(`0x${'00'.repeat(32)}`),
          timestamp: 1,
        }
      },
    },
  )
  const report = await audited(foldscan(), node)
  expect(report.differing.count).toBe(0)
  expect(report.failures).toContainEqual(
    expect.objectContaining({ side: 'moved', reason: 'block 5 was replaced' }),
  )
  expect(headers).toBeGreaterThan(3)
})

test('a node that lacks the state is named', async () => {
  const report = await audited(foldscan(), nodeOf({}, { answers: async () => null }))
  expect(report.failures.map(({ reason }) => reason)).toContain(
    'the node does not have the state of block 5',
  )
  expect(auditText(report)).toContain('the node: the node does not have the state of block 5')
  expect(report.status).toBe('incomplete')
})

test('a node that fails is asked a few times and no more', async () => {
  let asked = 0
  const failing = async () => {
    asked += 1
    throw new SourceError('unreachable', 'the node cannot be reached: refused')
  }
  const node = nodeOf({}, { block: failing, header: failing, answers: failing })
  const report = await auditSample({
    ...{ api: foldscan(), node, signal, indexed: blockNumber, sample: 1_000, token: null, seed: 3 },
    ...{ timeMs: 60_000, wait: async () => {}, coinEmitters: new Set<string>() },
  })
  expect(report.status).toBe('incomplete')
  expect(asked).toBeLessThan(10)
  expect(auditText(report)).toContain('8 x the node: the node cannot be reached: refused')
})

test('an API that fails is asked a few times and no more', async () => {
  let asked = 0
  const api: FetchPage = async () => {
    asked += 1
    throw new ExplorerError('returned 503')
  }
  const report = await audited(api)
  expect(report.status).toBe('incomplete')
  expect(asked).toBeLessThan(12)
  expect(report.failures[0]).toMatchObject({ side: 'foldscan', reason: 'returned 503' })
})

test('the time of an audit is bounded, and it says that it was over', async () => {
  const report = await auditSample({
    ...{ api: foldscan(), node: nodeOf(), signal, indexed: blockNumber, sample: 10 },
    ...{ token: null, seed: 3, timeMs: -1, wait: async () => {}, coinEmitters: new Set<string>() },
  })
  expect(report).toMatchObject({ status: 'incomplete', isCutOff: true, transactions: 0 })
  expect(auditText(report)).toContain('the time was over before all were compared')
})

test('the text prints the table, and the first ten differences in the order of subjects', async () => {
  const changed: Alter = (body) =>
    body.replaceAll(/"(\d+)"/g, (_, digits) => `"${BigInt(digits) + 1n}"`)
  const path = `${addresses}/${alice}/transactions`
  const wrong = { [path]: changed, [`${addresses}/${coin}/transactions`]: changed }
  const text = auditText(await audited(foldscan(wrong)))
  expect(text).toMatch(/^values of +tokens +checked +equal +differing +unknown +unanswered +moved/)
  expect(text).toMatch(/^transactions +- +\d+ +\d+ +\d+ +0 +0 +0 +\d+(\.\d)?$/m)
  expect(text).toMatch(/^holders +ERC-1155 +1 +1 +0 +0 +0 +0 +100$/m)
  expect(text).toMatch(/^Differences \(\d{2}, the first 10\):$/m)
  expect(text.match(/^ {4}Foldscan \d/gm)).toHaveLength(10)
  expect(text).toContain(
    [
      '  transactions, block 5: value',
      `    ${path}?filter=from&block_number=5&index=1&items_count=1`,
      '    Foldscan 1',
      '    node     0',
    ].join('\n'),
  )
  expect(text).toMatch(
    /^Foldscan differs from the node: 1 transactions, 3 tokens, 2 addresses, at blocks 5 to 5, seed 3$/m,
  )
})

test('a named token is compared whole, whether or not a block names it', async () => {
  const report = await auditSample({
    ...{ api: foldscan(), node: nodeOf(), signal, indexed: 4, sample: 1, token: coin, seed: 3 },
    ...{ timeMs: 60_000, wait: async () => {}, coinEmitters: new Set<string>() },
  })
  expect(report).toMatchObject({ status: 'equal', transactions: 0, tokens: 1 })
  expect(report.rows.find(({ kind }) => kind === 'holders')).toMatchObject({ equal: 2 })
})
