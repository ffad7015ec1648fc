import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../deploy/stack/free-port.ts'
import { startKept } from '../../deploy/stack/kept-process.ts'
import type { DebianBinary } from '../support/debian-binary.ts'
import { until } from '../support/until.ts'
import { top } from '../up/running.ts'

export type ProxyName = 'nginx' | 'haproxy'

export interface RunningProxy {
  readonly port: number
  readonly stop: () => Promise<void>
}

export interface ProxyOptions {
  /** Port of the API. */
  readonly api: number
  /** Port of another explorer's backend, if the configuration has one. */
  readonly explorer?: number
  /** By default what deploy/proxies ships. */
  readonly config?: string
}

export const shippedConfig = (name: keyof typeof files): string =>
  readFileSync(join(top, 'deploy/proxies', files[name]), 'utf8')

/** Runs a configuration, but for the addresses in it: 127.0.0.1:8080, 4000 and 4001. */
export async function runningProxy(
  name: ProxyName,
  { command, args }: DebianBinary,
  { api, explorer, config: shipped = shippedConfig(name) }: ProxyOptions,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `foldscan-${name}-`))
  const [port = 0] = await freePorts(1, [])
  const own = withPorts(shipped, { 8080: port, 4000: api, 4001: explorer })
    // Two HAProxies of one machine cannot have the same socket.
    .replaceAll('abns@foldscan', `abns@foldscan-${port}`)
  const config = join(folder, files[name])
  writeFileSync(config, own)
  const kept = await startKept({
    folder,
    command,
    args: [...args, ...argumentsOf[name](folder, config)],
  })
  let said: string | null = null
  void kept.exited.then((words) => {
    said = words
  })
  await until(`${name} listens`, async () => {
    if (said !== null) throw new Error(`${name} has ended: ${said}`)
    return await listens(port)
  })
  return {
    port,
    async stop() {
      kept.signal('SIGTERM')
      await kept.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const files = {
  nginx: 'nginx.conf',
  'nginx-beside': 'nginx-beside.conf',
  haproxy: 'haproxy.cfg',
} as const

/**
 * In one pass and by whole ports: a port of the machine, such as 40013, begins as a shipped one.
 * @throws where the configuration names the port of the proxy or of the API not just once
 */
function withPorts(config: string, ports: Readonly<Record<number, number | undefined>>): string {
  const counts = new Map<string, number>()
  const own = config.replace(/127\.0\.0\.1:(\d+)/g, (_address, shipped: string) => {
    const port = ports[Number(shipped)]
    if (port === undefined) throw new Error(`no port is given for 127.0.0.1:${shipped}`)
    counts.set(shipped, (counts.get(shipped) ?? 0) + 1)
    return `127.0.0.1:${port}`
  })
  for (const shipped of ['8080', '4000']) {
    if (counts.get(shipped) !== 1) {
      throw new Error(`the configuration names 127.0.0.1:${shipped} not just once`)
    }
  }
  return own
}

const argumentsOf: Readonly<Record<ProxyName, (folder: string, config: string) => string[]>> = {
  nginx(folder, config) {
    const main = join(folder, 'main.conf')
    writeFileSync(main, nginxMain(folder, config))
    return ['-p', folder, '-c', main]
  },
  haproxy: (_folder, config) => ['-db', '-f', config],
}

/** What a system's own nginx.conf holds around the files of conf.d. */
function nginxMain(folder: string, config: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => {
    mkdirSync(join(folder, kind))
    return `${kind}_temp_path ${join(folder, kind)};`
  })
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user} daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr warn;
events { worker_connections 512; }
http { access_log off; ${paths.join(' ')} include ${config}; }
`
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
