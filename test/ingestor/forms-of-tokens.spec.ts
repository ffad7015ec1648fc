import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { type Address, address, zeroAddress } from '../../libs/chain/hex.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { checksum } from '../../libs/presenters/address.ts'
import type { IngestorOptions } from '../../services/ingestor/ingestor.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { type EmbeddedServices, startEmbedded } from '../oracle/embedded-services.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { compiled } from '../support/compiled.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'

const forms = compiled(new URL('forms-of-tokens.sol', import.meta.url), 'Forms')
const kinds = { amounts: 0, idInData: 1, ranges: 2, indexedAmount: 3, both: 4 } as const
const system = address('0xfffffffffffffffffffffffffffffffffffffffe')
const other = address('0x0000000000000000000000000000000000007708')
const stranger = address('0x0000000000000000000000000000000000005712')

const listForm = z.object({ items: z.array(z.record(z.string(), z.unknown())) })
const rowForm = z.object({ token: z.object({ address_hash: z.string() }), value: z.string() })
const idForm = z.object({ token: z.object({ address_hash: z.string() }), id: z.string() })
const holderForm = z.object({ address: z.object({ hash: z.string() }), value: z.string() })
const bytes = (text: string) => `0x${Buffer.from(text, 'latin1').toString('hex')}`

describe('tokens in every form, from a node to the answers', () => {
  let chain: AnvilChain
  let source: ChainSource
  let people: readonly Address[]
  let embedded: EmbeddedServices
  const started: EmbeddedServices[] = []
  const tokens = { coin: zeroAddress, cards: zeroAddress, range: zeroAddress }
  const others = { indexed: zeroAddress, both: zeroAddress }

  const create = async (kind: number, places: number, words: string) =>
    address(await chain.create(forms.creation([kind, places, bytes(words), people[0]])))

  const call = (to: Address, name: string, ...args: unknown[]) =>
    chain.together(() => chain.sendRaw({ to, data: forms.call(name, args) }))

  beforeAll(async () => {
    chain = await AnvilChain.start()
    people = (await chain.accounts()).slice(0, 3).map((text) => address(text))
    source = await rpcSource({ url: chain.url })
    await act()
    embedded = await indexed({})
  }, 60_000)
  afterAll(async () => {
    for (const each of started) await each.stop()
    await source.close()
    await chain.stop()
  })

  async function act() {
    const [alice, bob, carol] = people
    tokens.coin = await create(kinds.amounts, 6, 'Old')
    tokens.cards = await create(kinds.idInData, 0, 'Caf\xe9')
    tokens.range = await create(kinds.ranges, 0, 'Row\0\0')
    others.indexed = await create(kinds.indexedAmount, 18, 'Indexed')
    others.both = await create(kinds.both, 0, 'Both')
    await call(tokens.coin, 'moveAmount', zeroAddress, alice, 500n)
    await call(tokens.cards, 'moveId', zeroAddress, alice, 7n)
    await call(tokens.cards, 'moveId', zeroAddress, alice, 8n)
    await call(tokens.cards, 'moveId', alice, bob, 7n)
    await call(tokens.range, 'moveId', alice, carol, 3n)
    await call(tokens.range, 'moveRange', alice, bob, 1n, 2n)
    await call(others.indexed, 'moveAmount', zeroAddress, alice, 10n ** 18n)
    await call(others.indexed, 'moveAmount', alice, bob, 4n)
    await call(others.both, 'moveAmount', zeroAddress, alice, 9n)
    await call(others.both, 'moveId', zeroAddress, bob, 9n)
    const code = await chain.ask('eth_getCode', [tokens.coin, 'latest'])
    for (const emitter of [system, other]) {
      await chain.ask('anvil_setCode', [emitter, code])
      await call(emitter, 'moveAmount', zeroAddress, stranger, 3n)
    }
  }

  /** The chain as it is now, behind an API of its own. */
  async function indexed(options: Pick<IngestorOptions, 'coinEmitters'>) {
    const services = await startEmbedded(source.chainId)
    started.push(services)
    const { eventLog } = services
    const limits = { wordsPauseBlocks: 1 }
    const ingestor = await startInMemory({ source, eventLog, limits, ...options })
    const published = async () => {
      const head = await chain.head()
      await until('all is published', () => Promise.resolve(ingestor.status().block === head))
      return head
    }
    await published()
    await call(tokens.coin, 'upgrade', bytes('New\0\0'), 8)
    // Words are asked again as of a block after the one that may have changed them is published.
    await published()
    await chain.mine()
    const head = await published()
    await ingestor.stop()
    const { accepted } = await chainInLog(eventLog)
    await services.reached(accepted.at(-1)?.sequence ?? 0, head)
    return services
  }

  const bodyOf = async (path: string, { get } = embedded) => (await get(`/api/v2/${path}`)).body
  const itemsOf = async (path: string) => listForm.parse(await bodyOf(path)).items

  const asked = async (to: Address, name: string, arg: unknown) =>
    String(await chain.ask('eth_call', [{ to, data: forms.call(name, [arg]) }, 'latest']))
  const balanceOf = async (token: Address, who: Address) =>
    BigInt(await asked(token, 'balanceOf', who))
  const ownerOf = async (token: Address, id: bigint) =>
    address(`0x${(await asked(token, 'ownerOf', id)).slice(26)}`)

  const all = () => Object.values({ ...tokens, ...others })

  it('shows what each person has as the contracts do (decisions 61, 62)', async () => {
    for (const person of people) {
      const rows = (await itemsOf(`addresses/${person}/tokens`)).filter(
        ({ token_id: id }) => id === null,
      )
      const shown = rows.map((row) => rowForm.parse(row))
      const found = shown.map(({ token, value }) => `${token.address_hash} ${value}`)
      const real = await Promise.all(
        all().map(async (token) => ({ token, value: await balanceOf(token, person) })),
      )
      const held = real.filter(({ value }) => value > 0n)
      const expected = held.map(({ token, value }) => `${checksum(token)} ${value}`)
      expect(found.toSorted(), person).toEqual(expected.toSorted())
    }
  })

  it('shows the NFTs of each person as the contracts do', async () => {
    const ids = { [tokens.cards]: [7n, 8n], [tokens.range]: [1n, 2n, 3n, 4n, 5n] }
    const known = Object.entries({ ...ids, [others.both]: [9n] }).flatMap(([token, some]) =>
      some.map((id) => ({ token: address(token), id })),
    )
    for (const person of people) {
      const shown = (await itemsOf(`addresses/${person}/nft`)).map((row) => idForm.parse(row))
      const found = shown.map(({ token, id }) => `${token.address_hash} ${id}`)
      const expected: string[] = []
      for (const { token, id } of known) {
        const isOwner = (await ownerOf(token, id)) === person
        if (isOwner) expected.push(`${checksum(token)} ${id}`)
      }
      expect(found.toSorted(), person).toEqual(expected.toSorted())
    }
  })

  it('lists holders and counts them, but not those of two forms', async () => {
    for (const token of [...Object.values(tokens), others.indexed]) {
      const shown = (await itemsOf(`tokens/${token}/holders`)).map((row) => holderForm.parse(row))
      const found = shown.map(({ address: who, value }) => `${who.hash} ${value}`)
      const real = await Promise.all(
        people.map(async (who) => ({ who, value: await balanceOf(token, who) })),
      )
      const held = real.filter(({ value }) => value > 0n)
      const expected = held.map(({ who, value }) => `${checksum(who)} ${value}`)
      expect(found.toSorted(), token).toEqual(expected.toSorted())
      expect(await bodyOf(`tokens/${token}`)).toMatchObject({
        holders_count: `${held.length}`,
        total_supply: `${held.reduce((sum, { value }) => sum + value, 0n)}`,
      })
    }
    expect(await bodyOf(`tokens/${others.both}`)).toMatchObject({ holders_count: null })
  })

  it('lists transfers as the standard reads them', async () => {
    const [alice, bob] = people.map((person) => ({ hash: checksum(person) }))
    const amount = { type: 'token_transfer', token_type: 'ERC-20' }
    expect(await itemsOf(`tokens/${others.indexed}/transfers`)).toMatchObject([
      { ...amount, from: alice, to: bob, total: { value: '4', decimals: '18' } },
      { type: 'token_minting', token_type: 'ERC-20', total: { value: `${10n ** 18n}` } },
    ])
    const [moved] = await itemsOf(`tokens/${tokens.cards}/transfers`)
    const total = { value: '1', token_id: '7', token_instance: { id: '7', owner: bob } }
    expect(moved).toMatchObject({ from: alice, to: bob, token_type: 'ERC-721', total })
    const ofRange = await itemsOf(`tokens/${tokens.range}/transfers`)
    expect(ofRange.map(({ total: it, type }) => [Object(it).token_id, type])).toEqual([
      ['2', 'token_transfer'],
      ['1', 'token_transfer'],
      ['3', 'token_transfer'],
      ...['5', '4', '3', '2', '1'].map((id) => [id, 'token_minting']),
    ])
    const made = `transactions/${ofRange.at(-1)?.transaction_hash}/token-transfers`
    const ids = (await itemsOf(made)).map(({ total: it }) => Object(it).token_id)
    expect(ids.toSorted()).toEqual(['1', '2', '3', '4', '5'])
    const both = await itemsOf(`tokens/${others.both}/transfers`)
    expect(both).toMatchObject([{ total: { token_id: '9' } }, { total: { value: '9' } }])
  })

  it('shows words as they are now, readable whatever their bytes (decision 65)', async () => {
    const shownAs = async (token: Address) => bodyOf(`tokens/${token}`)
    expect(await shownAs(tokens.coin)).toMatchObject({ name: 'New', symbol: 'New', decimals: '8' })
    expect(await shownAs(tokens.cards)).toMatchObject({ name: 'Caf\uFFFD', type: 'ERC-721' })
    expect(await shownAs(tokens.range)).toMatchObject({ name: 'Row', type: 'ERC-721' })
  })

  /** Two emitters of the same code: the coin's logs are logs, those of a token are more. */
  async function expectLogsOnly(emitter: Address, token: Address, services: EmbeddedServices) {
    const bodyAt = (path: string) => bodyOf(path, services)
    for (const path of ['', '/transfers', '/holders']) {
      expect((await services.get(`/api/v2/tokens/${emitter}${path}`)).status, path).toBe(404)
    }
    const { items: logs } = listForm.parse(await bodyAt(`addresses/${emitter}/logs`))
    expect(logs).toHaveLength(1)
    const moved = `transactions/${logs[0]?.transaction_hash}/token-transfers`
    expect(await bodyAt(moved)).toMatchObject({ items: [] })
    const { items } = listForm.parse(await bodyAt(`addresses/${emitter}/transactions`))
    expect(items).toMatchObject([{ transaction_types: ['contract_call'] }])
    const held = listForm.parse(await bodyAt(`addresses/${stranger}/tokens`)).items
    const names = held.map((row) => rowForm.parse(row).token.address_hash)
    expect(names).not.toContain(checksum(emitter))
    expect(await bodyAt(`tokens/${token}/transfers`)).toMatchObject({ items: [{}] })
  }

  it('takes logs of the coin as logs and nothing else (decision 63)', () =>
    expectLogsOnly(system, other, embedded))

  it('takes those of other emitters so, where a setting names them', async () => {
    await expectLogsOnly(other, system, await indexed({ coinEmitters: [other] }))
  })
})
