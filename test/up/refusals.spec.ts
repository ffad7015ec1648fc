import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { version } from '../../libs/signals/version.ts'
import { endAll, freshFolder, mainnet, startCommand, startUp } from './running.ts'

afterAll(endAll)

/** One sentence, in the fatal line that ends the log; exit code 1, and nothing beside the log. */
async function refusal(
  flags: Record<string, string>,
  isAtOnce = false,
  environment: Record<string, string> = {},
): Promise<string> {
  const folder = freshFolder()
  const all = { port: '0', 'data-dir': folder, source: mainnet, ...flags }
  const running = startCommand('up', all, environment)
  const { code, reason, stderr } = await running.exited
  rmSync(folder, { recursive: true, force: true })
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(running.lines.at(-1)).toMatchObject({
    level: 'fatal',
    event: events.service.failed,
    service: 'up',
    version,
    errorClass: expect.stringMatching(/^\w+$/),
    msg: reason,
  })
  expect(reason).toMatch(/^[^\n]+[.]$/)
  // Nothing has begun, so nothing has to stop.
  if (isAtOnce) expect(running.lines).toHaveLength(1)
  return reason
}

describe('foldscan up is refused in one sentence', () => {
  it('when its port is in use, before anything slow begins', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const bound = server.address()
    const port = String(bound && typeof bound === 'object' ? bound.port : 0)
    const folder = freshFolder()
    const running = startUp({ 'data-dir': folder, source: 'demo', port })
    const { code, reason } = await running.exited
    server.close()
    expect(code).toBe(1)
    expect(reason).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use. --port`)
    // Neither `starting` nor `stopping` comes before the reason.
    expect(running.lines).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
  })

  it('when the node does not answer', async () => {
    expect(await refusal({ source: 'http://user:hunter2@127.0.0.1:9' })).toMatch(/127\.0\.0\.1:9/)
  })

  it('without the credentials of the node', async () => {
    expect(await refusal({ source: 'http://user:hunter2@127.0.0.1:9' })).not.toContain('hunter2')
  })

  it('when the folder has no blocks', async () => {
    const source = freshFolder()
    writeFileSync(join(source, 'notes.txt'), 'no blocks here')
    expect(await refusal({ source }, true)).toContain(source)
    rmSync(source, { recursive: true })
  })

  it('with a word that the parser does not know', async () => {
    expect(await refusal({ prot: '1' })).toContain("Unknown option '--prot'")
  })

  it('when there is no such folder', async () => {
    expect(await refusal({ source: './no-such-folder' }, true)).toContain('no-such-folder')
    expect(await refusal({ source: 'ftp://127.0.0.1' }, true)).toContain('a node needs http://')
    expect(await refusal({ source: 'http://[1' }, true)).toContain('is no valid URL')
  })

  it('when it is to compare with a node, and there is none', async () => {
    expect(await refusal({}, true, { FOLDSCAN_AUDIT: 'true' })).toContain(
      `--audit asks a node for its state: --source http://…, not the folder '${mainnet}'`,
    )
  })

  it('when it is to fetch metadata, and there is no node', async () => {
    expect(await refusal({}, true, { FOLDSCAN_METADATA: 'true' })).toContain(
      `--metadata calls the contracts of a node: --source http://…, not the folder '${mainnet}'`,
    )
  })

  it('when a gateway is no URL that ends with a slash', async () => {
    const flags = { source: 'http://127.0.0.1:9', 'ipfs-gateways': 'http://127.0.0.1/ipfs' }
    expect(await refusal(flags, true)).toContain(
      "The gateway 'http://127.0.0.1/ipfs' is no http://",
    )
  })

  it('when a block file is broken', async () => {
    const source = freshFolder()
    writeFileSync(join(source, '7.json'), '{"block": ')
    expect(await refusal({ source })).toContain('7.json')
    rmSync(source, { recursive: true })
  })

  it('when the data folder is a file', async () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'file'), '')
    expect(await refusal({ 'data-dir': join(folder, 'file') })).toContain('cannot be written')
    rmSync(folder, { recursive: true })
  })

  it('when a setting is out of its bounds', async () => {
    expect(await refusal({ port: '70000' })).toContain('--port is above 65535')
  })

  it('when the log in the data folder is no log', async () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'log'))
    writeFileSync(join(folder, 'log', 'log.lmdb'), 'x'.repeat(8192))
    expect(await refusal({ 'data-dir': folder })).toContain('log.lmdb')
    rmSync(folder, { recursive: true })
  })
})
