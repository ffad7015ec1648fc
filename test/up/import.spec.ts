import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { runFoldscan } from '../services/run-foldscan.ts'
import { until } from '../support/until.ts'
import { blocksAlone, endAll, freshFolder, mainnet, startUp } from './running.ts'

const importing = (...words: readonly string[]) => runFoldscan(['import', ...words])

const folder = freshFolder()
const dataDir = join(folder, 'data')
const signatures = join(mainnet, 'signatures.csv')
/** Emits an event that is not built in, in the twelve blocks. */
const vault = '0xf326e4de8f66a0bdc0970b79e0924e33c79f1915'
const logs = z.object({
  items: z.array(z.object({ decoded: z.object({ method_call: z.string() }).nullable() })),
})

const blocks = blocksAlone()
const up = (source = blocks) => startUp({ 'data-dir': dataDir, source })
const decoded = async (running: ReturnType<typeof up>) => {
  const { body } = await running.get(`/api/v2/addresses/${vault}/logs`)
  return logs.safeParse(body).data?.items.map((item) => item.decoded?.method_call ?? null) ?? []
}

afterAll(endAll)

it('imports into the data folder of a stopped foldscan, which then decodes by it', async () => {
  const first = up()
  await first.logged(events.up.ready)
  await until('logs are there', async () => (await decoded(first)).length > 1)
  expect(new Set(await decoded(first))).toEqual(new Set([null]))
  const early = await importing('signatures', signatures, '--into-data-dir', dataDir)
  expect(early).toMatchObject({ code: 1, stdout: '' })
  expect(early.stderr).toContain(`is used by another Foldscan, process ${first.pid}`)
  first.kill('SIGTERM')
  expect(await first.exited).toMatchObject({ code: 0 })

  const imported = await importing('signatures', signatures, '--into-data-dir', dataDir)
  expect(imported, imported.stderr).toMatchObject({ code: 0 })
  expect(imported.stdout).toBe('published 802 of 802 facts of a file to signature-facts\n')
  const again = up()
  await again.logged(events.up.ready)
  await until('they are decoded', async () =>
    (await decoded(again)).includes('SafeReceived(address indexed arg0, uint256 arg1)'),
  )
  again.kill('SIGTERM')
  expect(await again.exited).toMatchObject({ code: 0 })
})

it('imports the files of names that a folder of blocks contains, once', async () => {
  const named = { 'data-dir': join(folder, 'named'), source: mainnet }
  const first = startUp(named)
  await first.logged(events.up.ready)
  const imported = ({ lines }: typeof first) =>
    lines.filter(({ event }) => event === events.up.imported).map(({ file }) => file)
  expect(imported(first)).toEqual(['tokens.csv', 'signatures.csv'])
  await until('they are decoded', async () =>
    (await decoded(first)).includes('SafeReceived(address indexed arg0, uint256 arg1)'),
  )
  const graph = '/api/v2/tokens/0xc944e90c64b2c07662a292be6244bdf05cda44a7'
  await until('tokens have names', async () => (await first.get(graph)).status === 200)
  expect((await first.get(graph)).body).toMatchObject({ symbol: 'GRT', decimals: '18' })
  first.kill('SIGTERM')
  expect(await first.exited).toMatchObject({ code: 0 })
  const again = startUp(named)
  await again.logged(events.up.ready)
  expect(imported(again)).toEqual([])
  again.kill('SIGTERM')
  expect(await again.exited).toMatchObject({ code: 0 })
})

it('refuses a folder of blocks whose names are invalid, and says where', async () => {
  writeFileSync(join(blocks, 'tokens.csv'), 'address,name\n0x12,Short\n')
  const refused = up()
  expect(await refused.exited).toMatchObject({ code: 1 })
  const { reason } = await refused.exited
  expect(reason).toContain('tokens.csv:2: not an address: 0x12')
  expect(reason).toContain('Correct it, or remove the file.')
})

it('names the faulty line, and publishes nothing unless asked', async () => {
  const file = join(folder, 'labels.csv')
  writeFileSync(file, `address,name\n${vault},Vault\n0x12,Short\n`)
  const words = ['labels', file, '--into-data-dir', dataDir]
  const refused = await importing(...words)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain(`${file}:3: not an address: 0x12\n`)
  expect(refused.stderr).toContain('Nothing was published')
  expect(await importing(...words, '--dry-run', '--skip-invalid')).toMatchObject({
    code: 0,
    stdout: `skipped ${file}:3: not an address: 0x12\n1 facts for address-facts in a file: nothing was published\n`,
  })
  const skipped = await importing(...words, '--skip-invalid', '--json')
  expect(JSON.parse(skipped.stdout)).toEqual({
    topics: ['address-facts'],
    valid: 1,
    published: 1,
    invalid: [{ file, line: 3, reason: 'not an address: 0x12' }],
    leftOut: [],
  })
})

it('takes prices for the chain of the folder only', async () => {
  const file = join(folder, 'prices.json')
  writeFileSync(file, '{"2023-07-13": "1870.5"}')
  const words = ['prices', file, '--into-data-dir', dataDir]
  const other = await importing(...words, '--chain-id', '5')
  expect(other).toMatchObject({ code: 1, stdout: '' })
  expect(other.stderr).toContain('Topic blocks is of chain 1, --chain-id is 5.')
  expect(await importing(...words)).toMatchObject({ code: 0 })
})

it('refuses what is no data folder and no file', async () => {
  const none = await importing('signatures', signatures, '--into-data-dir', join(folder, 'none'))
  expect(none.stderr).toMatch(/none of --into-data-dir holds no log/)
  const missing = await importing('labels', join(folder, 'missing.json'))
  expect(missing.stderr).toMatch(/A file cannot be read: ENOENT/)
})
