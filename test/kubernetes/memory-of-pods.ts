import { docker } from './docker.ts'
import type { Release } from './release.ts'

/** The greatest memory of each workload's pods in MiB, as the kubelet counts it. */
export class MemoryOfPods {
  private readonly mostMiB = new Map<string, number>()
  private readonly release: Release
  private isEnding = false
  private sampling = Promise.resolve()

  constructor(release: Release) {
    this.release = release
  }

  /** Resident memory and what the kernel keeps for it, without cached files that are idle. */
  async sample(): Promise<ReadonlyMap<string, number>> {
    const workloads = new Map([...this.release.pods.values()].map((p) => [p.pod.name, p.workload]))
    const format = '{{.Name}} {{.MemUsage}}'
    // A pod that ends meanwhile is no failure.
    const said = await docker('stats', '--no-stream', '--format', format).catch(() => '')
    for (const line of said.split('\n')) {
      const [name = '', used = ''] = line.split(' ')
      const workload = workloads.get(name)
      const amount = /^([\d.]+)(KiB|MiB|GiB)$/.exec(used)
      if (workload === undefined || amount === null) continue
      const mib = Number(amount[1]) * (mibOf[amount[2] ?? ''] ?? Number.NaN)
      this.mostMiB.set(workload, Math.max(mib, this.mostMiB.get(workload) ?? 0))
    }
    return new Map(this.mostMiB)
  }

  start(): void {
    const goOn = async () => {
      while (!this.isEnding) await this.sample()
    }
    this.sampling = goOn()
  }

  async stop(): Promise<ReadonlyMap<string, number>> {
    this.isEnding = true
    await this.sampling
    return this.sample()
  }
}

const mibOf: Readonly<Record<string, number>> = { KiB: 1 / 1_024, MiB: 1, GiB: 1_024 }
