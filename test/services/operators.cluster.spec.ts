import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { KafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import type { DeadLetter } from '../../libs/topics/topics.ts'
import { lagExitCodes } from '../../services/cli/operate/lag/lag-status.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { foldscanWords } from '../support/compiled-services.ts'
import { logAt } from '../support/kafka-for-tests.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet, ownEnvironment, type Running, top } from '../up/running.ts'
import { asked, type OwnServices, ownServices, reasonsOf, untilReasons } from './own-services.ts'
import { runFoldscan } from './run-foldscan.ts'

const onChain = ['ledger', 'state']

describe.skipIf(noCluster)('the commands of operators', () => {
  const place = ownPlace()
  let own: OwnServices
  let eventLog: KafkaEventLog
  let groups: Running[]

  /** Runs `foldscan` with these words, as people do. */
  const foldscan = (...words: readonly string[]) => runFoldscan(words, own.environment)

  const lagForm = z.object({
    status: z.enum(['ok', 'behind', 'stuck']),
    blocks: z.looseObject({ position: z.number().nullable() }),
    groups: z.array(z.looseObject({ position: z.number(), messagesBehind: z.number().nullable() })),
    dimensions: z.looseObject({ messagesBehind: z.number() }),
  })
  const lag = async () => lagForm.parse(JSON.parse((await foldscan('lag', '--json')).stdout))

  beforeAll(async () => {
    own = ownServices(cluster(), place)
    eventLog = logAt(cluster().kafka.brokers, { topicPrefix: place.topicPrefix })
  })
  afterAll(async () => {
    endAll()
    await eventLog.close()
    await own.drop()
  })

  it('make the tables, and tell when they took the chain for them', async () => {
    const unnamed = await foldscan('migrate')
    expect(unnamed).toMatchObject({ code: 1, stdout: '' })
    expect(unnamed.stderr).toContain('name it with --chain-id')
    const done = { code: 0, stderr: '' }
    // The refused one made nothing.
    const claimed = expect.stringMatching(/^made table .*\nclaimed the tables for chain 1\n$/)
    expect(await foldscan('migrate', '--chain-id', '1')).toEqual({ ...done, stdout: claimed })
    const again = 'nothing to make\nthe tables are of chain 1\n'
    expect(await foldscan('migrate')).toEqual({ ...done, stdout: again })
    const { stdout } = await foldscan('migrate', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ made: [], chainId: 1, isClaimed: false })
  })

  it('make the topics, once, and say before and after how they are', async () => {
    const missing = await foldscan('topics', 'check')
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr).toContain(`topic ${place.topicPrefix}blocks does not exist`.slice(1))
    const early = await foldscan('lag')
    expect(early.code).toBe(1)
    expect(early.stderr).toContain('Create them with `foldscan topics create`')
    const made = await foldscan('topics', 'create')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toContain(`created ${place.topicPrefix}blocks`)
    expect(await foldscan('topics', 'create')).toMatchObject({
      stdout: 'nothing to create: all topics exist\n',
    })
    expect(await foldscan('topics', 'check')).toMatchObject({ code: 0, stderr: '' })
    const { stdout } = await foldscan('topics', 'describe')
    expect(stdout).toMatch(new RegExp(`${place.topicPrefix}blocks +0 +0 +1 +1 +.*retention.ms=-1`))
  })

  it('publish from a source into a log that is empty, and end', async () => {
    groups = [...onChain, 'dimensions'].map((group) => own.start('projector', { group }))
    for (const group of groups) await untilReasons(group)
    const first = join(freshFolder(), 'first')
    mkdirSync(first)
    for (const file of readdirSync(mainnet).slice(0, 11)) {
      if (/^\d/.test(file)) copyFileSync(join(mainnet, file), join(first, file))
    }
    const repaired = await foldscan('repair', '--from', '1', '--source', first)
    expect(repaired, repaired.stderr).toMatchObject({ code: 0 })
    const to = Number(/messages 1 to (\d+)/.exec(repaired.stdout)?.[1])
    expect(to).toBeGreaterThan(5)
    await until('all is folded', async () => {
      const { groups: all } = await lag()
      return all.every(({ position }) => position === to)
    })
  })

  it('show poison, say what to do, and do it', async () => {
    const { blocks } = await lag()
    const next = (blocks.position ?? 0) + 1
    await eventLog.append('blocks', [{ key: '1', value: Buffer.from('{"kind":"block.applied"}') }])
    const stuck = groups.slice(0, onChain.length)
    await Promise.all(stuck.map((group) => untilReasons(group, ['stuck'])))
    for (const group of stuck) {
      const metrics = await (await fetch(`${await group.health()}/metrics`)).text()
      expect(metrics).toMatch(/^foldscan_stuck\{group="\w+"\} 1$/m)
    }

    const page = await foldscan('lag')
    expect(page).toMatchObject({ code: lagExitCodes.stuck, stderr: '' })
    expect(page.stdout).toContain(`Topic blocks waits for position ${next}`)
    const line = /`npx foldscan (repair [^`]+)`/.exec(page.stdout)?.[1] ?? ''
    expect(line).toContain(`--from ${next} `)
    expect(line).toContain(`--kafka-topic-prefix ${place.topicPrefix} `)
    expect(line).toContain('--source SOURCE')
    const command = line.replace('SOURCE', mainnet).split(' ')

    const wrong = await foldscan('repair', '--from', `${next + 1}`, '--source', mainnet)
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain(`--from ${next}.`)
    const repaired = await foldscan(...command)
    expect(repaired, repaired.stderr).toMatchObject({ code: 0 })
    expect(repaired.stdout).toContain(`published messages ${next} to`)
    for (const group of stuck) await untilReasons(group)
    await until('nobody is behind', async () =>
      (await lag()).groups.every(({ messagesBehind }) => messagesBehind === 0),
    )
    // Blocks of a folder are years old.
    const anyAge = ['--behind-seconds', '10000000000']
    expect(await foldscan('lag', ...anyAge)).toMatchObject({ code: lagExitCodes.ok, stderr: '' })
    const old = await foldscan('lag', '--json')
    expect(old.code).toBe(lagExitCodes.behind)
    expect(lagForm.parse(JSON.parse(old.stdout)).status).toBe('behind')
  })

  it('import facts from files, which the projector of dimensions folds', async () => {
    const file = join(freshFolder(), 'labels.json')
    const address = `0x${'ab'.repeat(20)}`
    writeFileSync(file, `{"${address}": {"name": "Somebody"},\n"0x12": {"name": "Nobody"}}`)
    const refused = await foldscan('import', 'labels', file)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`${file}:2: not an address: 0x12`)
    expect(await eventLog.end('address-facts')).toBe(0)
    const imported = await foldscan('import', 'labels', file, '--skip-invalid')
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toContain('published 1 of 1 facts of a file to address-facts')
    const [stored] = await eventLog.read('address-facts', 0, {
      messagesMax: 1,
      bytesMax: 1_000_000,
    })
    expect(stored?.key).toBe(`${address}:tags`)
    const signatures = await foldscan('import', 'signatures', join(mainnet, 'signatures.csv'))
    expect(signatures).toMatchObject({ code: 0, stderr: '' })
    expect(await eventLog.end('signature-facts')).toBe(802)
    const holders = join(freshFolder(), 'holders.csv')
    writeFileSync(holders, `token,holder\n${address},${address}\n`)
    const named = await foldscan('import', 'holders', holders)
    expect(named).toMatchObject({ code: 0, stderr: '' })
    expect(await eventLog.end('holders')).toBe(1)
    const prices = join(freshFolder(), 'prices.csv')
    writeFileSync(prices, `token,price\n${address},2.5\n`)
    const priced = await foldscan('import', 'prices', prices)
    expect(priced).toMatchObject({ code: 0, stderr: '' })
    expect(priced.stdout).toBe('published 1 of 1 facts of a file to token-facts\n')
    await until('they are folded', async () => (await lag()).dimensions.messagesBehind === 0)
    // The projector publishes each new hour of the chain in token-facts, and writes its rates.
    const rates = `SELECT rate FROM ${place.database}.token_rates ORDER BY token`
    await until('the rates of the hour', async () => {
      return (await asked(cluster(), rates)).trim() === '2.5\n1'
    })
  })

  it('watch the lag until they are interrupted', async () => {
    const args = foldscanWords(['lag', '--watch', '--json', '--behind-seconds', '10000000000'])
    const env = { ...ownEnvironment(), ...own.environment }
    const watching = spawn(process.execPath, args, { cwd: top, env })
    let seen = 0
    for await (const line of createInterface({ input: watching.stdout })) {
      expect(lagForm.parse(JSON.parse(line)).status).toBe('ok')
      if (++seen === 2) watching.kill('SIGINT')
    }
    expect(watching.exitCode ?? (await once(watching, 'exit'))[0]).toBe(0)
    expect(seen).toBeGreaterThanOrEqual(2)
  })

  it('list a malformed fact with its reason, and say it again when it can be folded', async () => {
    const broken = { key: '1:now', value: Buffer.from('{"chainId":'), headers: { from: 'feed' } }
    await eventLog.append('coin-prices', [broken])
    const list = async () =>
      (await foldscan('dead-letters', 'list', '--topic', 'coin-prices')).stdout
    await until('it is dead', async () => (await list()).includes('not JSON'))
    const listed = await list()
    expect(listed).toMatch(/^coin-prices dead letter at offset 0, since \d{4}-/)
    expect(listed).toMatch(/^ {2}message {2}offset 0, key 1:now, published \d{4}-/m)
    expect(listed).toMatch(/^ {2}headers {2}from=feed$/m)
    expect(listed).toMatch(/^ {2}value {4}\{"chainId": \(11 bytes\)$/m)
    expect((await foldscan('lag')).stdout).toMatch(/^coin-prices .* 1$/m)
    const refused = await foldscan(...replay, '--offset', '0')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('was not replayed: it is still invalid: not JSON')
    const forced = await foldscan(...replay, '--offset', '0', '--force')
    expect(forced.code).toBe(1)
    expect(forced.stdout).toMatch(
      /offset 0 was published again at offset 1: a dead letter again, at offset 1/,
    )

    // What an older program could not fold, and this one can.
    const price = { chainId: 1, moment: 'now', time: 1_700_000_000, price: '1234.5' }
    const letter: DeadLetter = {
      topic: 'coin-prices',
      offset: 0,
      key: '1:now',
      time: null,
      headers: {},
      message: Buffer.from(encodeMessage(price)).toString('base64'),
      reason: 'invalid',
      error: 'an older reason',
    }
    await eventLog.append('coin-prices.dead-letters', [
      { key: '1:now', value: encodeMessage(letter) },
    ])
    const done = await foldscan(...replay, '--offset', '2')
    expect(done, done.stderr).toMatchObject({ code: 0 })
    expect(done.stdout).toBe(
      'replayed 1 of 1 dead letters of coin-prices\n' +
        'offset 2 was published again at offset 2: folded\n',
    )
    const rows = await asked(cluster(), `SELECT count() FROM ${place.database}.prices`)
    expect(rows.trim()).toBe('1')
    const again = await foldscan(...replay, '--offset', '2')
    expect(again.stderr).toContain('has a newer message of key 1:now at offset 2')

    const settle = ['dead-letters', 'acknowledge', '--topic', 'coin-prices', '--all']
    const settled = await foldscan(...settle)
    expect(settled.stdout).toBe('acknowledged 3 dead letters of coin-prices\n')
    expect((await foldscan(...settle)).stdout).toContain('nothing to acknowledge')
    expect((await foldscan('lag')).stdout).toMatch(/^coin-prices .* 0$/m)
    expect(await list()).toBe('no dead letters\n')
  })

  it('say in one sentence what is wrong, and wait for nothing', async () => {
    const away = await foldscan('lag', '--kafka-brokers', '127.0.0.1:1')
    expect(away).toMatchObject({ code: 1, stdout: '' })
    expect(away.stderr).toBe('Kafka at 127.0.0.1:1 cannot be reached: nothing listens there.\n')
    expect((await reasonsOf(groups[0] ?? own.start('api'))).length).toBe(0)
  })
})

const replay = ['dead-letters', 'replay', '--topic', 'coin-prices']
