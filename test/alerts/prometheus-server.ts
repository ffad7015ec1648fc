import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { z } from 'zod'
import { freePorts } from '../../deploy/stack/free-port.ts'
import type { DebianBinary } from '../support/debian-binary.ts'
import { until } from '../support/until.ts'

/** A process that is scraped: its name stays when it is restarted on another port. */
export interface Target {
  readonly name: string
  /** Host and port of its metrics. */
  readonly address: string
}

const answer = z.object({
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
})

const intervals = {
  scrape_interval: '500ms',
  scrape_timeout: '400ms',
  evaluation_interval: '500ms',
}

/** Prometheus on loopback, that scrapes these targets and evaluates these rules twice a second. */
export class PrometheusServer {
  readonly #binary: DebianBinary
  readonly #folder = mkdtempSync(join(tmpdir(), 'foldscan-prometheus-'))
  #process: ChildProcess | null = null
  #origin = ''

  constructor(binary: DebianBinary) {
    this.#binary = binary
  }

  async start(rules: string): Promise<void> {
    const file = (name: string) => join(this.#folder, name)
    writeFileSync(file('rules.yaml'), rules)
    this.scrape([])
    const configuration = {
      global: intervals,
      rule_files: [file('rules.yaml')],
      scrape_configs: [
        {
          job_name: 'foldscan',
          file_sd_configs: [{ files: [file('targets.json')], refresh_interval: '1s' }],
        },
      ],
    }
    writeFileSync(file('prometheus.yaml'), stringify(configuration))
    const [port] = await freePorts(1, [])
    this.#origin = `http://127.0.0.1:${port}`
    const { command, args } = this.#binary
    const flags = {
      'config.file': file('prometheus.yaml'),
      'storage.tsdb.path': file('data'),
      'web.listen-address': `127.0.0.1:${port}`,
      'log.level': 'error',
    }
    const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    this.#process = spawn(command, [...args, ...words], { stdio: 'ignore' })
    await until('Prometheus is ready', async () => {
      const ready = await fetch(`${this.#origin}/-/ready`).catch(() => null)
      return ready?.ok === true
    })
  }

  scrape(targets: readonly Target[]): void {
    const found = targets.map(({ name, address }) => ({
      targets: [address],
      labels: { namespace: 'explorer', release: 'demo', instance: name },
    }))
    writeFileSync(join(this.#folder, 'targets.json'), JSON.stringify(found))
  }

  /** Labels of the series that an expression has now. */
  async series(expression: string): Promise<readonly Readonly<Record<string, string>>[]> {
    const url = `${this.#origin}/api/v1/query?query=${encodeURIComponent(expression)}`
    const { data } = answer.parse(await (await fetch(url)).json())
    return data.result.map(({ metric }) => metric)
  }

  async stop(): Promise<void> {
    const running = this.#process
    if (running !== null && running.exitCode === null) {
      const exited = once(running, 'exit')
      running.kill('SIGKILL')
      await exited
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
