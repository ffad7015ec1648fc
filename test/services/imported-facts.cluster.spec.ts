import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { KafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { addressFact, addressFactKey } from '../../libs/topics/facts/address-facts.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { logAt } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet, type Running } from '../up/running.ts'
import { type OwnServices, ownServices, untilReasons } from './own-services.ts'
import { runFoldscan } from './run-foldscan.ts'

/** A block in which a router of MetaMask is called and its vault emits a log. */
const block = '17686111'
const router = '0x881d40237659c251811cec9c364ef91dc08d300c'
const vault = '0xf326e4de8f66a0bdc0970b79e0924e33c79f1915'
const implementation = `0x${'1e'.repeat(20)}`

const call = z.object({ method_call: z.string() }).nullable()
const transactions = z.object({
  items: z.array(z.object({ method: z.string(), decoded_input: call })),
})
const emitter = z.object({
  name: z.string().nullable(),
  is_scam: z.boolean(),
  public_tags: z.array(z.object({ label: z.string() })),
})
const logs = z.object({ items: z.array(z.object({ address: emitter, decoded: call })) })

describe.skipIf(noCluster)('facts imported from files', () => {
  const place = ownPlace()
  const folder = freshFolder()
  let own: OwnServices
  let eventLog: KafkaEventLog
  let api: Running

  const firstLog = async () =>
    logs.parse((await api.get(`/api/v2/addresses/${vault}/logs`)).body).items[0]
  const decodedLog = async () => (await firstLog())?.decoded?.method_call ?? null
  const calledMethod = async () => {
    const { body } = await api.get(`/api/v2/addresses/${router}/transactions?filter=to`)
    const [first] = transactions.parse(body).items
    return `${first?.method}: ${first?.decoded_input?.method_call}`
  }
  const becomes = (shown: () => Promise<string | null>, expected: string) =>
    until(expected, async () => (await shown()) === expected)

  const importing = async (kind: string, name: string, content: unknown) => {
    const file = join(folder, name)
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    const imported = await runFoldscan(['import', kind, file], own.environment)
    expect(imported, imported.stderr).toMatchObject({ code: 0, stderr: '' })
  }
  const abiOf = (input: string) => [
    {
      type: 'event',
      name: 'SafeReceived',
      inputs: [
        { name: input, type: 'address', indexed: true },
        { name: 'value', type: 'uint256', indexed: false },
      ],
    },
  ]

  beforeAll(async () => {
    own = ownServices(cluster(), place)
    eventLog = logAt(cluster().kafka.brokers, { topicPrefix: place.topicPrefix })
    await own.createTopics()
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
    for (const group of ['ledger', 'state', 'dimensions']) own.start('projector', { group })
    const source = join(folder, 'blocks')
    mkdirSync(source)
    copyFileSync(join(mainnet, `${block}.json.gz`), join(source, `${block}.json.gz`))
    own.start('ingestor', { source })
    api = own.start('api')
    await untilReasons(api)
    await until('the block is indexed', async () => {
      const { headers } = await api.get(`/api/v2/addresses/${vault}/logs`)
      return headers.get('x-indexed-block') === block
    })
  })
  afterAll(async () => {
    endAll()
    await eventLog.close()
    await own.drop()
  })

  it('decode calls and logs by signatures', async () => {
    expect(await decodedLog()).toBeNull()
    expect(await calledMethod()).toBe('0x5f575529: undefined')
    await importing(
      'signatures',
      'signatures.csv',
      'signature\n"event SafeReceived(address indexed, uint256)"\n"swap(string,address,uint256,bytes)"\n',
    )
    await becomes(decodedLog, 'SafeReceived(address indexed arg0, uint256 arg1)')
    await becomes(calledMethod, 'swap: swap(string arg0, address arg1, uint256 arg2, bytes arg3)')
  })

  it('decode by the ABI of the implementation, and by that of the contract before it', async () => {
    const proxy = addressFact.parse({
      kind: 'proxy',
      address: vault,
      time: 1_689_000_000,
      proxyType: 'eip1967',
      implementations: [{ address: implementation, name: 'Vault' }],
    })
    await eventLog.append('address-facts', [
      { key: addressFactKey(proxy), value: encodeMessage(proxy) },
    ])
    await importing('abi', 'abis.json', { [implementation]: abiOf('from') })
    await becomes(decodedLog, 'SafeReceived(address indexed from, uint256 value)')
    await importing('abi', `${vault}.json`, abiOf('sender'))
    await becomes(decodedLog, 'SafeReceived(address indexed sender, uint256 value)')
    const names = ['aggregator', 'token', 'amount', 'data']
    const types = ['string', 'address', 'uint256', 'bytes']
    const inputs = names.map((name, at) => ({ name, type: types[at] }))
    await importing('abi', `${router}.json`, [{ type: 'function', name: 'swap', inputs }])
    await becomes(
      calledMethod,
      'swap: swap(string aggregator, address token, uint256 amount, bytes data)',
    )
  })

  it('name and tag addresses by labels', async () => {
    expect((await firstLog())?.address).toMatchObject({ name: null, public_tags: [] })
    await importing('labels', 'labels.csv', `address,name,labels\n${vault},Vault,wallet;safe\n`)
    await becomes(async () => (await firstLog())?.address.name ?? null, 'Vault')
    const tags = (await firstLog())?.address.public_tags.map(({ label }) => label)
    expect(tags).toEqual(['vault', 'wallet', 'safe'])
  })
})
