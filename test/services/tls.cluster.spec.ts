import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizationOf } from '../../libs/adapters/clickhouse/query-engine.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { type OwnCertificate, ownCertificate } from '../support/own-certificate.ts'
import { endAll } from '../up/running.ts'
import { type OwnServices, ownServices } from './own-services.ts'

const folder = mkdtempSync(join(tmpdir(), 'foldscan-tls-'))

describe.skipIf(noCluster)('ClickHouse over TLS, signed by an authority of its own', () => {
  let own: OwnServices
  let certificate: OwnCertificate
  let front: Server
  let url: string

  beforeAll(async () => {
    own = ownServices(cluster(), ownPlace())
    certificate = ownCertificate(folder, 'clickhouse')
    front = inFrontOf(cluster().clickhouse.url, certificate)
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    const bound = front.address()
    url = `https://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}`
  })
  afterAll(async () => {
    endAll()
    front.closeAllConnections()
    front.close()
    await own.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is not trusted without that authority', async () => {
    const { code, stderr } = await own.run('migrate', { 'chain-id': '1', 'clickhouse-url': url })
    expect(code).toBe(1)
    expect(stderr).toContain('FOLDSCAN_CLICKHOUSE_CA_FILE')
  })

  it('is trusted with it', async () => {
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, certificate.ca)
    const flags = { 'chain-id': '1', 'clickhouse-url': url, 'clickhouse-ca-file': ca }
    expect(await own.run('migrate', flags)).toMatchObject({ code: 0, stderr: '' })
  })

  it('is not trusted with another', async () => {
    const ca = join(folder, 'other.pem')
    writeFileSync(ca, ownCertificate(folder, 'other').ca)
    const flags = { 'clickhouse-url': url, 'clickhouse-ca-file': ca }
    expect(await own.run('migrate', flags)).toMatchObject({ code: 1 })
  })
})

/**
 * Speaks TLS, and passes requests on. With an authority of its own @clickhouse/client proves who
 * asks in two headers that every server knows, but for ours from npm; queries by `authorization`.
 */
function inFrontOf(plain: string, { keystore, password }: OwnCertificate): Server {
  const options = { pfx: readFileSync(keystore), passphrase: password }
  return createServer(options, (asked, answer) => {
    const { method, url = '/' } = asked
    const { 'x-clickhouse-user': user, 'x-clickhouse-key': key, ...headers } = asked.headers
    const authorization =
      asked.headers.authorization ?? authorizationOf({ username: `${user}`, password: `${key}` })
    const passing = { method, headers: { ...headers, authorization } }
    const passed = request(new URL(url, plain), passing, (said) => {
      answer.writeHead(said.statusCode ?? 500, said.headers)
      said.pipe(answer)
    })
    asked.pipe(passed)
  })
}
