import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HttpServer } from '../../libs/ports/http.ts'
import { embeddedApi, tokensPath } from '../proxies/embedded-api.ts'
import { type RunningProxy, runningProxy, shippedConfig } from '../proxies/running-proxy.ts'
import { rawExchange } from '../support/raw-exchange.ts'
import { testedBinary } from '../support/tested-binary.ts'
import { describeWithHelm, rendered } from './rendered.ts'

const haproxy = await testedBinary('haproxy')

describeWithHelm('annotations of the ingress', (tools) => {
  const annotationsOf = (controller: string): Record<string, string> => {
    const values = { ingress: { enabled: true, controller } }
    const [ingress] = rendered(tools, { values }).objects.filter(({ kind }) => kind === 'Ingress')
    return ingress?.metadata.annotations ?? {}
  }
  const snippet = annotationsOf('haproxy')['haproxy.org/backend-config-snippet'] ?? ''
  const nginx = annotationsOf('nginx')

  it('set what deploy/proxies sets: HTTP version, times, retries', () => {
    const nginxConfig = shippedConfig('nginx')
    for (const [annotation, directive] of [
      ['proxy-http-version', 'proxy_http_version $;'],
      ['proxy-buffering', 'proxy_buffering $;'],
      ['proxy-connect-timeout', 'proxy_connect_timeout $s;'],
      ['proxy-read-timeout', 'proxy_read_timeout $s;'],
    ] as const) {
      const value = nginx[`nginx.ingress.kubernetes.io/${annotation}`]
      expect(nginxConfig).toContain(directive.replace('$', String(value)))
    }
    const haproxyConfig = shippedConfig('haproxy')
    const shared = snippet.split('\n').filter((line) => !/ 426 |^default-server/.test(line))
    expect(shared.length).toBeGreaterThan(5)
    for (const line of shared) expect(haproxyConfig).toContain(`  ${line}\n`)
    expect(haproxyConfig).toContain(/^default-server (.*)$/m.exec(snippet)?.[1])
    const times = annotationsOf('haproxy')
    expect(haproxyConfig).toContain(`timeout connect ${times['haproxy.org/timeout-connect']}\n`)
    expect(haproxyConfig).toContain(`timeout server ${times['haproxy.org/timeout-server']}\n`)
  })

  describe.skipIf(haproxy === null)('run in HAProxy', () => {
    let api: HttpServer
    let proxy: RunningProxy
    beforeAll(async () => {
      if (haproxy === null) return
      api = await embeddedApi()
      proxy = await runningProxy('haproxy', haproxy, { api: api.port, config: controller(snippet) })
    })
    afterAll(async () => {
      await proxy.stop()
      await api.close()
    })

    it.each<[string, string, number]>([
      ['a request', `GET ${tokensPath} HTTP/1.1\r\nhost: x\r\n`, 200],
      [
        'a header name of other characters',
        `GET ${tokensPath} HTTP/1.1\r\nhost: x\r\nx_y: 1\r\n`,
        200,
      ],
      ['a target with a host', `GET http://x${tokensPath} HTTP/1.1\r\nhost: x\r\n`, 200],
      ['HTTP/1.0', `GET ${tokensPath} HTTP/1.0\r\nhost: x\r\n`, 426],
    ])('%s', async (_, head, status) => {
      const pieces = [`${head}connection: close\r\n\r\n`]
      const { statuses, text } = await rawExchange(proxy.port, { pieces })
      expect(statuses).toEqual([status])
      expect(text).toMatch(/^access-control-allow-origin: \*\r$/im)
    })
  })
})

/** What the controller puts around the snippet of a backend. */
const controller = (snippet: string): string => `
defaults
  mode http
  timeout client 10s
  timeout connect 2s
  timeout server 10s
frontend http
  bind 127.0.0.1:8080
  default_backend api
backend api
${snippet
  .split('\n')
  .map((line) => `  ${line}\n`)
  .join('')}  server api1 127.0.0.1:4000
`
