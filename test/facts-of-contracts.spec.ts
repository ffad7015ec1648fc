import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { folderSource } from '../libs/adapters/folder/folder-source.ts'
import { encodeMessage } from '../libs/topics/codec.ts'
import { addressFact, addressFactKey } from '../libs/topics/facts/address-facts.ts'
import { signatureFact, signatureFactKey } from '../libs/topics/facts/signature-facts.ts'
import { startInMemory } from '../services/ingestor/testing/start-in-memory.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { mainnetFolder } from './support/mainnet-truth.ts'
import { until } from './support/until.ts'

/** A block in which a router of MetaMask is called and its vault logs. */
const blockNumber = 17_686_111
const router = '0x881d40237659c251811cec9c364ef91dc08d300c'
const vault = '0xf326e4de8f66a0bdc0970b79e0924e33c79f1915'
const implementation = `0x${'1e'.repeat(20)}`
const received = '0x3d0ce9bfc3ed7d6862dbb28b2dea94561fe714a1b4d019aa8af39730d1ad7c3d'
const time = 1_689_000_000

let embedded: EmbeddedServices
let folder: string
beforeAll(async () => {
  embedded = await startEmbedded(1)
  folder = mkdtempSync(join(tmpdir(), 'foldscan-facts-'))
  const name = `${blockNumber}.json.gz`
  symlinkSync(join(mainnetFolder, name), join(folder, name))
  const source = await folderSource({ folder })
  const ingestor = await startInMemory({ source, eventLog: embedded.eventLog })
  await Promise.race([ingestor.done, ingestor.failed.then((error) => Promise.reject(error))])
  await ingestor.stop()
  await source.close()
  await embedded.reached(1, blockNumber)
})
afterAll(async () => {
  await embedded.stop()
  rmSync(folder, { recursive: true })
})

const says = (fact: object) => {
  const one = addressFact.parse({ time, ...fact })
  return embedded.eventLog.append('address-facts', [
    { key: addressFactKey(one), value: encodeMessage(one) },
  ])
}
const knows = (selector: string, signature: string) => {
  const one = signatureFact.parse({ selector, signature, time })
  return embedded.eventLog.append('signature-facts', [
    { key: signatureFactKey(one), value: encodeMessage(one) },
  ])
}

const call = z.object({ method_call: z.string() }).nullable()
const items = z.object({
  items: z.array(
    z.object({
      decoded: call.optional(),
      method: z.string().nullable().optional(),
      decoded_input: call.optional(),
    }),
  ),
})
const first = async (path: string) =>
  items.parse((await embedded.get(`/api/v2/addresses/${path}`)).body).items[0]
const decodedLog = async () => (await first(`${vault}/logs`))?.decoded?.method_call ?? null
const calledMethod = async () => {
  const transaction = await first(`${router}/transactions?filter=to`)
  return `${transaction?.method} ${transaction?.decoded_input?.method_call}`
}
/** Answers follow facts by an announcement. */
const becomes = (what: string, shown: () => Promise<string | null>) =>
  until(what, async () => (await shown()) === what)

test('logs are decoded by signatures, then by the implementation, then by the contract', async () => {
  expect(await decodedLog()).toBeNull()
  await knows(received, 'event SafeReceived(address indexed, uint256)')
  await becomes('SafeReceived(address indexed arg0, uint256 arg1)', decodedLog)

  const inputs = (name: string) => [
    { name, type: 'address', indexed: true },
    { name: 'value', type: 'uint256', indexed: false },
  ]
  const abi = (address: string, ...names: string[]) =>
    says({
      kind: 'abi',
      address,
      entries: names.map((name) => ({ type: 'event', name: 'SafeReceived', inputs: inputs(name) })),
    })
  await says({
    kind: 'proxy',
    address: vault,
    proxyType: 'eip1967',
    implementations: [{ address: implementation, name: 'Vault' }],
  })
  await abi(implementation, 'from')
  await becomes('SafeReceived(address indexed from, uint256 value)', decodedLog)
  await abi(vault, 'sender')
  await becomes('SafeReceived(address indexed sender, uint256 value)', decodedLog)
  await abi(vault)
  await becomes('SafeReceived(address indexed from, uint256 value)', decodedLog)
})

test('calls are named and decoded by signatures that are known', async () => {
  expect(await calledMethod()).toBe('0x5f575529 undefined')
  await knows(
    '0x5f575529',
    'swap(string aggregatorId, address tokenFrom, uint256 amount, bytes data)',
  )
  await becomes(
    'swap swap(string aggregatorId, address tokenFrom, uint256 amount, bytes data)',
    calledMethod,
  )
})

const sending = {
  hash: '0x2b06de8925d5a39effd132be9c8f1bb9c95c3202a3dbf875c7480577508f732e',
  wallet: '0x7aabb23a8845584069d2964f73fb6ebbfd9889af',
  token: '0xdac17f958d2ee523a2206206994597c13d831ec7',
}
const transfers = z.array(z.object({ transaction_hash: z.string(), method: z.string().nullable() }))
const listed = z.object({ items: transfers })
const nested = z.object({ items: z.array(z.object({ token_transfers: transfers })) })

test('methods of transfers are named by the ABI of the contract that was called', async () => {
  const read = async (path: string) => (await embedded.get(path)).body
  const methods = async () => {
    const found = [
      listed.parse(await read(`/api/v2/transactions/${sending.hash}/token-transfers`)).items,
      listed.parse(await read(`/api/v2/tokens/${sending.token}/transfers?items_count=100`)).items,
      nested
        .parse(await read(`/api/v2/addresses/${sending.wallet}/transactions?filter=to`))
        .items.flatMap(({ token_transfers }) => token_transfers),
    ]
    const own = found.map((items) => items.filter((at) => at.transaction_hash === sending.hash))
    return own.map(([transfer]) => transfer?.method).join()
  }
  expect(await methods()).toBe('0x0dcd7a6c,0x0dcd7a6c,0x0dcd7a6c')
  const types = ['address', 'uint256', 'address', 'uint256', 'uint256', 'bytes']
  const inputs = types.map((type, at) => ({ name: `argument${at}`, type }))
  const entry = { type: 'function', name: 'sendMultiSigToken', inputs }
  await says({ kind: 'abi', address: sending.wallet, entries: [entry] })
  await becomes('sendMultiSigToken,sendMultiSigToken,sendMultiSigToken', methods)
})

const emitter = z.object({
  name: z.string().nullable(),
  reputation: z.string(),
  metadata: z.object({ slug: z.string(), tags: z.array(z.unknown()) }).nullable(),
  public_tags: z.array(z.object({ display_name: z.string(), label: z.string() })),
})
const emitters = z.object({ items: z.array(z.object({ address: emitter })) })

test('labels reach the names, tags and reputation of addresses', async () => {
  const shown = async () =>
    emitters.parse((await embedded.get(`/api/v2/addresses/${vault}/logs`)).body).items[0]?.address
  expect(await shown()).toMatchObject({ name: null, metadata: null, public_tags: [] })
  const tag = {
    slug: 'metamask-vault',
    name: 'MetaMask: Vault',
    tagType: 'name',
    ordinal: 1,
    meta: {},
  }
  await says({ kind: 'label', address: vault, tags: [tag], isScam: true })
  await until('the label is shown', async () => (await shown())?.name === 'MetaMask: Vault')
  expect(await shown()).toMatchObject({
    reputation: 'scam',
    metadata: { slug: 'metamask-vault', tags: [tag] },
    public_tags: [{ display_name: 'MetaMask: Vault', label: 'metamask-vault' }],
  })
})
