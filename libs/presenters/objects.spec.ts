import { expect, test } from 'vitest'
import { zeroAddress } from '../chain/hex.ts'
import { position } from '../chain/position.ts'
import { addressObject } from './address.ts'
import { addressFactsOf, instanceFactsOf, tokenFactsOf } from './facts.ts'
import { instanceObject } from './objects/instance.ts'
import { tokenAt, tokenObject } from './objects/token.ts'
import { lookupsOf } from './testing/lookups.ts'
import { anAddress, anAddressState, anInstance, aToken, indexOf } from './testing/rows.ts'

const address = anAddress(0xa1)
const version = { position: position(1), isDeleted: 0 }
const tag = { slug: 'x', name: 'X', tagType: 'name', ordinal: 1, meta: {} }

// Decision 11.
test('shows an address of which nothing is known with every field', () => {
  expect(addressObject(address, lookupsOf())).toEqual({
    hash: '0x00000000000000000000000000000000000000A1',
    name: null,
    implementation_name: null,
    ens_domain_name: null,
    metadata: null,
    is_contract: false,
    is_verified: false,
    is_scam: false,
    reputation: 'ok',
    proxy_type: null,
    implementations: [],
    private_tags: [],
    public_tags: [],
    watchlist_names: [],
  })
})

// Decision 11.
test('shows the first tag flattened beside all tags', () => {
  const lookups = lookupsOf({ addressFacts: { tags: [tag, { ...tag, slug: 'y' }], isScam: true } })
  expect(addressObject(address, lookups)).toMatchObject({
    metadata: { slug: 'x', tagType: 'name', tags: [{ slug: 'x' }, { slug: 'y' }] },
    reputation: 'scam',
    is_scam: true,
  })
})

test('shows every tag as a public tag too, and one of type name as the name', () => {
  const bridge = { ...tag, slug: 'bridge', name: 'bridge', tagType: 'generic' }
  const called = { ...tag, slug: 'hop-bridge', name: 'Hop: Bridge' }
  const facts = { tags: [bridge, called] }
  const address_hash = '0x00000000000000000000000000000000000000A1'
  expect(addressObject(address, lookupsOf({ addressFacts: facts }))).toMatchObject({
    name: 'Hop: Bridge',
    public_tags: [
      { address_hash, display_name: 'bridge', label: 'bridge' },
      { address_hash, display_name: 'Hop: Bridge', label: 'hop-bridge' },
    ],
    private_tags: [],
  })
  const verified = lookupsOf({ addressFacts: { ...facts, name: 'HopBridge' } })
  expect(addressObject(address, verified).name).toBe('HopBridge')
  const unnamed = lookupsOf({ addressFacts: { tags: [bridge] } })
  expect(addressObject(address, unnamed).name).toBeNull()
})

test('names an implementation by its tag, which does not verify it', () => {
  const run = anAddress(0xd1)
  const implementations = [{ address: run, name: null }]
  const lookups = lookupsOf({
    addressFacts: (at) =>
      at === run ? { tags: [tag] } : { proxyType: 'eip1167', implementations },
  })
  expect(addressObject(address, lookups)).toMatchObject({
    implementation_name: 'X',
    implementations: [{ name: 'X' }],
    is_verified: false,
  })
  const verified = lookupsOf({
    addressFacts: (at) =>
      at === run ? { name: 'Safe' } : { proxyType: 'eip1167', implementations },
  })
  expect(addressObject(address, verified)).toMatchObject({
    implementation_name: 'Safe',
    is_verified: true,
  })
})

test.each([
  ['image/png', 'image'],
  ['VIDEO/mp4', 'video'],
  ['text/html; charset=utf-8', 'html'],
  ['audio/mpeg', null],
  [null, null],
])('shows an image of type %s as of category %s', (mediaType, category) => {
  const key = { token: anAddress(0x71), tokenId: 7n, standard: 'ERC-721' as const }
  const media = {
    imageUrl: 'https://a.example/1',
    animationUrl: null,
    externalUrl: null,
    mediaType,
  }
  const lookups = lookupsOf({ instanceFacts: { media } })
  expect(instanceObject(key, lookups).image_media_type).toBe(category)
  const none = lookupsOf({ instanceFacts: { media: { ...media, imageUrl: null } } })
  expect(instanceObject(key, none).image_media_type).toBeNull()
})

test('shows an account that runs the code of another as a contract', () => {
  const state = anAddressState({ address, isContract: false, delegate: anAddress(0xd1) })
  expect(addressObject(address, lookupsOf({ addresses: [state] }))).toMatchObject({
    is_contract: true,
    proxy_type: 'eip7702',
    implementations: [{ address_hash: '0x00000000000000000000000000000000000000D1', name: null }],
  })
})

test.each([
  ['eip1167', ['Safe'], true],
  ['eip1167', ['Safe', null], false],
  ['minimal_proxy', [], false],
  ['eip1967', ['Safe'], false],
  [null, ['Safe'], false],
])('shows a proxy of kind %s over %j as verified: %s', (proxyType, names, isVerified) => {
  const implementations = names.map((name, at) => ({ address: anAddress(at), name }))
  const lookups = lookupsOf({ addressFacts: { proxyType, implementations } })
  expect(addressObject(address, lookups).is_verified).toBe(isVerified)
})

test('shows an account that runs the code of a named contract as verified', () => {
  const state = anAddressState({ address, isContract: false, delegate: anAddress(0xd1) })
  const named = lookupsOf({ addresses: [state], addressFacts: { name: 'Wallet' } })
  expect(addressObject(address, named).is_verified).toBe(true)
  expect(addressObject(address, lookupsOf({ addresses: [state] })).is_verified).toBe(false)
})

// Decision 39.
test('shows a token as the contract says, unless it is corrected', () => {
  const lookups = lookupsOf({ tokens: [aToken()] }).token(anAddress(0x70))
  if (lookups === null) throw new Error('the token is known')
  expect(tokenObject(lookups)).toEqual({
    address_hash: '0x0000000000000000000000000000000000000070',
    name: 'Gold',
    symbol: 'AU',
    decimals: '6',
    type: 'ERC-20',
    holders_count: '2',
    total_supply: '1000000',
    exchange_rate: null,
    volume_24h: null,
    icon_url: null,
    circulating_market_cap: null,
    circulating_supply: null,
    reputation: 'ok',
  })
  const facts = { ...lookups.facts, symbol: 'XAU', exchangeRate: '1.5' }
  expect(tokenObject({ ...lookups, facts })).toMatchObject({
    name: 'Gold',
    symbol: 'XAU',
    exchange_rate: '1.5',
  })
})

test('shows each token as its own lookups have it, in whatever order they come', () => {
  const [gold, silver] = [aToken(), aToken({ token: anAddress(0x72), symbol: 'AG' })]
  const before = lookupsOf({ tokens: [gold, silver] })
  const after = lookupsOf({ tokens: [{ ...gold, symbol: 'XAU' }, silver] })
  const symbolOf = (lookups: typeof before, at: number) =>
    tokenAt(anAddress(at), 'ERC-20', lookups).symbol
  expect([before, before, after, before].map((one) => symbolOf(one, 0x70))).toEqual([
    'AU',
    'AU',
    'XAU',
    'AU',
  ])
  const turns = [0x70, 0x72, 0x73, 0x70, 0x72]
  expect(turns.map((at) => symbolOf(before, at))).toEqual(['AU', 'AG', null, 'AU', 'AG'])
})

test('shows the owner of an instance only where there is one of it', () => {
  const key = { token: anAddress(0x71), tokenId: 7n, standard: 'ERC-1155' as const }
  const shared = anInstance({ isUnique: false, owner: null })
  expect(instanceObject(key, lookupsOf({ instances: [shared] }))).toMatchObject({
    is_unique: false,
    owner: null,
    holder_address_hash: null,
  })
  expect(instanceObject(key, lookupsOf({ instances: [anInstance()] }))).toMatchObject({
    is_unique: true,
    owner: { hash: '0x00000000000000000000000000000000000000A1' },
    holder_address_hash: '0x00000000000000000000000000000000000000A1',
  })
  expect(instanceObject(key, lookupsOf()).is_unique).toBe(false)
  const collection = aToken({ token: anAddress(0x71), standard: indexOf('ERC-721') })
  expect(instanceObject(key, lookupsOf({ tokens: [collection] })).is_unique).toBe(true)
})

test('takes media from what was found out, else from metadata, by a gateway', () => {
  const key = { token: anAddress(0x71), tokenId: 7n, standard: 'ERC-721' as const }
  const metadata = { image: 'ipfs://ipfs/Qm/1.png', external_url: ' ', animation_url: 'ar://abc' }
  expect(instanceObject(key, lookupsOf({ instanceFacts: { metadata } }))).toMatchObject({
    metadata,
    image_url: 'https://ipfs.io/ipfs/Qm/1.png',
    animation_url: 'https://arweave.net/abc',
    external_app_url: null,
  })
  const nested = { properties: { image: 'https://x/y.png' } }
  expect(instanceObject(key, lookupsOf({ instanceFacts: { metadata: nested } })).image_url).toBe(
    'https://x/y.png',
  )
})

test('takes a blank correction as none', () => {
  const token = anAddress(0x70)
  const correction = (name: string) => ({
    ...{ token, kind: 'correction', fact: JSON.stringify({ name, symbol: ' ' }), ...version },
  })
  expect(tokenFactsOf([correction('')])).toMatchObject({ name: null, symbol: null })
  expect(tokenFactsOf([correction(' Gold ')])).toMatchObject({ name: ' Gold ', symbol: null })
})

test('reads facts by their kind, and what does not read as absent', () => {
  const token = anAddress(0x70)
  const market = { exchangeRate: '2', volume24h: null, marketCap: '9', circulatingSupply: null }
  expect(
    tokenFactsOf([
      { token, kind: 'market', fact: JSON.stringify(market), ...version },
      { token, kind: 'icon', fact: '{"url":"https://x/i.png"}', ...version },
      { token, kind: 'correction', fact: '{"decimals":"six"}', ...version },
      { token, kind: 'later', fact: '{}', ...version },
    ]),
  ).toMatchObject({ exchangeRate: '2', marketCap: '9', iconUrl: 'https://x/i.png', decimals: null })
  expect(
    addressFactsOf([
      { address: zeroAddress, kind: 'ens', fact: '{"name":"a.eth"}', ...version },
      { address: zeroAddress, kind: 'label', fact: JSON.stringify({ tags: [tag] }), ...version },
      { address: zeroAddress, kind: 'verification', fact: 'no json', ...version },
    ]),
  ).toMatchObject({ ensName: 'a.eth', tags: [tag], isVerified: false, name: null })
  expect(instanceFactsOf({ token, tokenId: 1n, fact: '{"metadata":7}', ...version })).toEqual({
    metadata: null,
    media: null,
  })
})
