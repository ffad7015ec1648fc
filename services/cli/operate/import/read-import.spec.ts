import { describe, expect, test } from 'vitest'
import { importAbis, importSignatures } from './import-abis.ts'
import { importLabels } from './import-labels.ts'
import { importPrices } from './import-prices.ts'
import type { ImportKind } from './imported.ts'
import { readText } from './read-import.ts'

const time = 1_700_000_000
const shared = { time, chainId: 1 }
const address = `0x${'ab'.repeat(20)}`
const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const read = (kind: ImportKind, text: unknown, file = 'some.json') =>
  readText(kind, { file, text: typeof text === 'string' ? text : JSON.stringify(text) }, shared)
const messages = (kind: ImportKind, text: unknown, file?: string) => {
  const { facts, faults } = read(kind, text, file)
  expect(faults).toEqual([])
  return facts.map(({ message }) => message)
}
const fault = (kind: ImportKind, text: unknown, file?: string) => {
  const [first] = read(kind, text, file).faults
  return first && `${first.file}:${first.line}: ${first.reason}`
}

describe('labels', () => {
  const fact = {
    address,
    time,
    kind: 'tags',
    tags: [
      { slug: 'hop-usdc-bridge', name: 'Hop: USDC Bridge', tagType: 'name', ordinal: 10, meta: {} },
      { slug: 'bridge', name: 'bridge', tagType: 'generic', ordinal: 0, meta: {} },
    ],
  }

  test.each([
    ['an object', { [address]: { name: 'Hop: USDC Bridge', labels: ['bridge'] } }, undefined],
    ['a list', [{ address, name: 'Hop: USDC Bridge', labels: ['bridge'] }], undefined],
    ['CSV', `address,name,labels\n${address},Hop: USDC Bridge,bridge;\n`, 'labels.CSV'],
    ['whole tags', [{ address, tags: fact.tags }], undefined],
  ])('are read from %s', (_, text, file) => {
    expect(messages(importLabels, text, file)).toEqual([fact])
  })

  test('accept addresses with a checksum, and mark scams', () => {
    expect(messages(importLabels, `address,is_scam\n${checksummed},yes\n`, 'a.csv')).toMatchObject([
      { kind: 'label', address: checksummed.toLowerCase(), isScam: true, tags: [] },
    ])
  })

  test('leave a mark of others where they have no word on it', () => {
    const marks = `address,name,is_scam\n${address},A,\n${address},A,no\n`
    const [unsaid, cleared] = messages(importLabels, marks, 'a.csv')
    expect(unsaid).not.toHaveProperty('isScam')
    expect(cleared).toMatchObject({ kind: 'label', isScam: false })
  })

  test.each([
    ['a.csv:3: not an address: 0x12', `address,name\n${address},A\n0x12,B\n`, 'a.csv'],
    ['some.json:1: not an address: ', [{ name: 'A' }], undefined],
    ['some.json:1: neither a name nor a label', { [address]: {} }, undefined],
    ['some.json:1: labels: not a list of texts: 5', { [address]: { labels: 5 } }, undefined],
    [
      'a.csv:2: is_scam: neither true nor false: maybe',
      `address,is_scam\n${address},maybe\n`,
      'a.csv',
    ],
    [`some.json:1: not an address: vitalik.eth`, { 'vitalik.eth': { name: 'A' } }, undefined],
    [
      `a.csv:3: contradicts a.csv:2 for ${address}:tags`,
      `address,name\n${address},A\n${address},B\n`,
      'a.csv',
    ],
  ])('name the fault: %s', (expected, text, file) => {
    expect(fault(importLabels, text, file)).toBe(expected)
  })
})

describe('ABIs', () => {
  const entry = { type: 'function', name: 'ping', inputs: [], outputs: [] }
  const fact = { address, time, kind: 'abi', entries: [entry] }

  test.each([
    ['an object', { [address]: [entry, { type: 'constructor', inputs: [] }] }, undefined],
    ['a list', [{ address, abi: [entry] }], undefined],
    ['what a compiler writes', { [address]: { abi: [entry], bytecode: '0x' } }, undefined],
    ['text', { [address]: JSON.stringify([entry]) }, undefined],
    ['a file named by the address', [entry], `${address}.json`],
    ['an artifact named by the address', { contractName: 'A', abi: [entry] }, `${address}.json`],
    [
      'CSV',
      `address,abi\n${address},"${JSON.stringify([entry]).replaceAll('"', '""')}"\n`,
      'a.csv',
    ],
  ])('are read from %s', (_, text, file) => {
    expect(messages(importAbis, text, file)).toEqual([fact])
  })

  test.each<[string, unknown, string]>([
    ['a user-defined type', { name: 'f', inputs: [{ type: 'Lib.Kind' }] }, 'f: no type of a call'],
    ['a type of later compilers', { name: 'f', inputs: [{ type: 'fixed' }] }, 'no type of a call'],
    [
      'a tuple without components',
      { name: 'f', inputs: [{ type: 'tuple' }] },
      'f: a tuple without',
    ],
    ['a kind of later compilers', { type: 'modifier', name: 'm' }, 'no type modifier'],
    ['neither type nor name', {}, 'not a name'],
    ['no object', 'ping()', 'expected object'],
    ['null', null, 'expected object'],
  ])('leave out an entry with %s, and publish the others', (_, odd, reason) => {
    const { facts, faults, leftOut } = read(importAbis, { [address]: [entry, odd] })
    expect([facts.map(({ message }) => message), faults]).toEqual([[fact], []])
    expect(leftOut).toMatchObject([{ file: 'some.json', line: 1 }])
    expect(leftOut[0]?.reason).toContain(`ABI of ${address}, entry 1: `)
    expect(leftOut[0]?.reason).toContain(reason)
  })

  test('keep events that have the type function', () => {
    const hook = { type: 'event', name: 'Hook', inputs: [{ name: 'callback', type: 'function' }] }
    const { facts, leftOut } = read(importAbis, { [address]: [entry, hook] })
    expect([facts.map(({ message }) => message), leftOut]).toEqual([
      [{ ...fact, entries: [entry, hook] }],
      [],
    ])
  })

  test('name the entry that nothing can be decoded by', () => {
    const odd = { type: 'function', name: 'f', inputs: [{ type: 'Lib.Kind' }] }
    expect(fault(importAbis, { [address]: [odd] })).toBe(
      `some.json:1: ABI of ${address}, entry 0: f: no type of a call: Lib.Kind`,
    )
    expect(fault(importAbis, [entry])).toBe('some.json:1: not an address: some')
    expect(fault(importAbis, { [address]: 'no ABI' })).toBe(`some.json:1: no ABI of ${address}`)
  })
})

describe('signatures', () => {
  const transfer = {
    selector: '0xa9059cbb',
    time,
    signature: 'function transfer(address, uint256)',
  }
  const topic = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'
  const sync = { selector: topic, time, signature: 'event Sync(uint112, uint112)' }

  test.each([
    ['a list', ['transfer(address,uint256)', 'event Sync(uint112,uint112)']],
    ['one each', { '0xa9059cbb': 'transfer(address,uint256)', [topic]: 'Sync(uint112,uint112)' }],
    [
      'several each',
      { '0xA9059CBB': ['transfer(address,uint256)'], [topic]: ['Sync(uint112,uint112)'] },
    ],
    [
      'an ABI',
      [
        { type: 'function', name: 'transfer', inputs: [{ type: 'address' }, { type: 'uint256' }] },
        { type: 'event', name: 'Sync', inputs: [{ type: 'uint112' }, { type: 'uint112' }] },
        { type: 'constructor', inputs: [] },
      ],
    ],
  ])('are read from JSON: %s', (_, json) => {
    expect(messages(importSignatures, json)).toEqual([transfer, sync])
  })

  test('are read from CSV, with or without selectors', () => {
    const text = `selector,signature\n,"transfer(address,uint256)"\n${topic},"Sync(uint112,uint112)"\n`
    expect(messages(importSignatures, text, 'a.csv')).toEqual([transfer, sync])
    const bare = 'signature\n"transfer(address,uint256)"\n'
    expect(messages(importSignatures, bare, 'a.csv')).toEqual([transfer])
  })

  test('that differ in names only are one', () => {
    const list = ['transfer(address to,uint256)', 'transfer(address dst,uint256)']
    expect(messages(importSignatures, list)).toHaveLength(1)
  })

  test.each([
    [
      'a.csv:2: 0x00000000: a signature that does not have this selector',
      'selector,signature\n0x00000000,"transfer(address,uint256)"\n',
      'a.csv',
    ],
    ['a.csv:2: no signature: transfer(', 'signature\n"transfer("\n', 'a.csv'],
    ['some.json:1: no signature: 7', [7], undefined],
    ['some.json:1: no signature: {"type":"function"}', [{ type: 'function' }], undefined],
  ])('name the fault: %s', (expected, text, file) => {
    expect(fault(importSignatures, text, file)).toBe(expected)
  })
})

describe('prices', () => {
  const prices = [
    { chainId: 1, moment: '2023-07-13', time, price: '1870.5' },
    { chainId: 1, moment: 'now', time, price: '1900' },
  ]

  test.each([
    ['an object', { '2023-07-13': '1870.5', now: 1900 }, undefined],
    [
      'a list',
      [
        { day: '2023-07-13', price: 1870.5 },
        { day: 'now', price: '1900' },
      ],
      undefined,
    ],
    ['CSV', 'day,price\n2023-07-13,1870.5\nnow,1900\n', 'a.csv'],
  ])('are read from %s', (_, text, file) => {
    expect(messages(importPrices, text, file)).toEqual(prices)
  })

  const market = {
    kind: 'market',
    token: address,
    time,
    exchangeRate: '1.5',
    volume24h: null,
    marketCap: null,
    circulatingSupply: null,
  }

  test.each([
    ['an object', { [address]: '1.5' }, undefined],
    ['a list', [{ token: address, price: 1.5 }], undefined],
    ['CSV', `day,token,price,market_cap\n,${address},1.5,\n`, 'a.csv'],
  ])('of tokens are read from %s', (_, text, file) => {
    expect(read(importPrices, text, file)).toMatchObject({
      faults: [],
      facts: [{ key: `${address}:market`, message: market, topic: 'token-facts' }],
    })
  })

  test('of tokens come with other market data, and are removed', () => {
    const figures = { volume_24h: '7', market_cap: 8, circulating_supply: '9.5' }
    const said = { volume24h: '7', marketCap: '8', circulatingSupply: '9.5' }
    expect(
      messages(importPrices, [
        { token: checksummed, price: '2', ...figures },
        { token: address, price: null },
        { day: 'now', price: '1900' },
      ]),
    ).toEqual([
      { ...market, ...said, token: checksummed.toLowerCase(), exchangeRate: '2' },
      { ...market, exchangeRate: null },
      prices[1],
    ])
  })

  test.each([
    [`${address}`, '1e100'],
    ['0x12', '1'],
    [address, ''],
  ])('name the line of a token %s at %j', (token, price) =>
    expect(fault(importPrices, `token,price\n${token},${price}\n`, 'a.csv')).toMatch(/^a\.csv:2: /),
  )

  test.each([
    '2023-13-01,1',
    '2023-07-13,1e100',
    '2023-07-13,e3',
    '2023-07-13,1e',
    '2023-07-13,1e+-3',
    '2023-07-13,-1',
    '13.07.2023,1',
    ',1',
    '2023-07-13,',
  ])('name the line of %s', (line) =>
    expect(fault(importPrices, `day,price\n${line}\n`, 'a.csv')).toMatch(/^a\.csv:2: /),
  )
})

test.each([
  ['1e-7', '0.0000001'],
  ['1.5E+3', '1500'],
  ['1.50e-3', '0.0015'],
  ['12.345e1', '123.45'],
  ['12.345e3', '12345'],
  ['5.0E0', '5'],
  ['0e-9', '0'],
  ['0.00e+9', '0'],
  ['9e98', `9${'0'.repeat(98)}`],
  ['1e-97', `0.${'0'.repeat(96)}1`],
  ['1.10', '1.10'],
])('a price of %s is read to the digit', (said, price) => {
  expect(messages(importPrices, `day,price\nnow,${said}\n`, 'a.csv')).toMatchObject([{ price }])
})

test('a price that JSON prints with an exponent is read to the digit', () => {
  const said = [
    { day: 'now', price: 0.0000001 },
    { token: address, price: 1e21, market_cap: 2.5e-9 },
  ]
  expect(messages(importPrices, said)).toMatchObject([
    { price: '0.0000001' },
    { exchangeRate: `1${'0'.repeat(21)}`, marketCap: '0.0000000025' },
  ])
})

test('a file of no known form is refused, and every fault is found', () => {
  expect(fault(importLabels, 'x', 'labels.txt')).toMatch(
    /^labels\.txt:1: .*neither \.json nor \.csv/,
  )
  expect(
    read(importLabels, 'address,name\n1,a\n2\n3,b\n', 'a.csv').faults.map(({ line }) => line),
  ).toEqual([2, 3, 4])
})
