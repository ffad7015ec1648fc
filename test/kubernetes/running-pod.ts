import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { ContainerOfPod, HttpProbe } from './container-of-pod.ts'
import { docker, dockerLong, logsOf } from './docker.ts'

/** A pod that was started, and what its kubelet knows of it. */
export interface RunningPod {
  readonly name: string
  readonly origins: ContainerOfPod['origins']
  /** Whether its readiness probe holds, and nobody asked it to end more than so long ago. */
  readonly isReady: (lateMs?: number) => boolean
  /** Whether it gets requests, or may still have some: it was ready, and has not ended. */
  readonly isServing: () => boolean
  /** Resolves when it is ready. @throws when it ends before that, or fails its startup probe */
  readonly ready: Promise<void>
  /** Resolves with its exit code and all that it logged. */
  readonly ended: Promise<Ended>
  /** As the kubelet ends a deleted pod: `preStop`, STOPSIGNAL, SIGKILL at the end of its time. */
  readonly end: () => Promise<Ended>
  readonly log: () => Promise<string>
  /** Why its kubelet would have restarted it; null if it would not. */
  readonly failure: () => string | null
}

export interface Ended {
  readonly code: number
  readonly log: string
  /** Whether SIGKILL was needed. */
  readonly isKilled: boolean
}

const stateForm = z.looseObject({ ExitCode: z.number(), OOMKilled: z.boolean() })
const startedPods = new Set<string>()

export async function startPod(container: ContainerOfPod): Promise<RunningPod> {
  await makeVolumes(container)
  await docker('create', ...container.args)
  startedPods.add(container.name)
  await docker('start', container.name)
  const kubelet = new Kubelet(container)
  const ended = endOf(container.name).finally(() => kubelet.stop())
  const ready = kubelet.firstReady(ended)
  // Who does not wait for it learns of the end otherwise.
  ready.catch(() => {})
  return {
    name: container.name,
    origins: container.origins,
    isReady: (lateMs = 0) => kubelet.isReady || kubelet.withdrawnMs() < lateMs,
    isServing: () => kubelet.isServing,
    ready,
    ended,
    log: () => logsOf(container.name),
    failure: () => kubelet.failure,
    async end() {
      kubelet.withdraw()
      await pause(container.preStopSeconds * 1_000)
      const left = container.graceSeconds - container.preStopSeconds
      await docker('stop', '--time', `${left}`, container.name)
      return ended
    },
  }
}

async function endOf(name: string): Promise<Ended> {
  await dockerLong(['wait', name])
  const state = stateForm.parse(JSON.parse(await docker('inspect', '-f', '{{json .State}}', name)))
  if (state.OOMKilled) throw new Error(`${name} needed more memory than its limit`)
  return { code: state.ExitCode, log: await logsOf(name), isKilled: state.ExitCode === killedCode }
}

/** 128 and the number of SIGKILL. */
const killedCode = 137

/** Removes all that was started, and the volumes of those pods but not those of claims. */
export async function removePods(): Promise<void> {
  await Promise.all([...startedPods].map(removePod))
}

export async function removePod(name: string): Promise<void> {
  await docker('rm', '--force', '--volumes', name)
  startedPods.delete(name)
  const own = await docker('volume', 'ls', '--quiet', '--filter', `name=^${name}-`)
  for (const volume of own.split('\n').filter((each) => each !== '')) {
    await docker('volume', 'rm', volume)
  }
}

/** Runs as root in the image itself: nothing else has to be there, and no root on the host. */
const fill = `
  const { chmodSync, chownSync, readdirSync, writeFileSync } = require('node:fs')
  const volumes = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
  for (const [at, { group, fileMode, files }] of volumes.entries()) {
    const folder = '/volumes/' + at
    // As fsGroupChangePolicy OnRootMismatch: files of an earlier pod are left as they are.
    chownSync(folder, 0, group)
    chmodSync(folder, 0o2775)
    for (const { path, text } of files) {
      writeFileSync(folder + '/' + path, text)
      chownSync(folder + '/' + path, 0, group)
      chmodSync(folder + '/' + path, fileMode)
    }
  }`

async function makeVolumes({ volumes, image }: ContainerOfPod): Promise<void> {
  if (volumes.length === 0) return
  for (const { name } of volumes) await docker('volume', 'create', name)
  const mounts = volumes.flatMap(({ name }, at) => ['--volume', `${name}:/volumes/${at}:nocopy`])
  const run = ['run', '--rm', '--interactive', '--user', '0:0', '--network', 'none']
  const node = ['--entrypoint', '/usr/local/bin/node', image, '-e', fill]
  await dockerLong([...run, ...mounts, ...node], JSON.stringify(volumes))
}

/** Calls the probes of one container, as the kubelet does. */
class Kubelet {
  isReady = false
  isServing = false
  failure: string | null = null
  private withdrawnAt = Number.NEGATIVE_INFINITY
  private readonly container: ContainerOfPod
  private readonly ending = new AbortController()
  private readonly waiting = new Set<() => void>()

  constructor(container: ContainerOfPod) {
    this.container = container
    void this.run()
  }

  firstReady(ended: Promise<Ended>): Promise<void> {
    const { name } = this.container
    const over = ended.then(({ code, log }) => {
      throw new Error(`${name} ended with ${code} before it was ready: ${log.slice(-1_000)}`)
    })
    const ready = new Promise<void>((resolve, reject) => {
      const look = () => {
        if (this.isReady) resolve()
        else if (this.failure !== null) reject(new Error(this.failure))
        else this.waiting.add(look)
      }
      look()
    })
    return Promise.race([ready, over])
  }

  /** It is deleted: no new connections from now on, and its probes do not count any more. */
  withdraw(): void {
    if (this.isReady) this.withdrawnAt = performance.now()
    this.isReady = false
    this.ending.abort()
  }

  withdrawnMs(): number {
    return performance.now() - this.withdrawnAt
  }

  /** The container has ended. */
  stop(): void {
    this.isReady = false
    this.isServing = false
    this.withdrawnAt = Number.NEGATIVE_INFINITY
    this.ending.abort()
  }

  private async run(): Promise<void> {
    const { startup, liveness, readiness, name } = this.container
    if (startup !== null && !(await this.holds(startup))) return
    const live =
      liveness === null
        ? null
        : this.watch(
            liveness,
            () => {},
            () => {
              this.failure = `${name} fails its liveness probe: the kubelet would restart it`
            },
          )
    const ready = this.watch(
      readiness,
      () => this.set(true),
      () => this.set(false),
    )
    await Promise.all([live, ready])
  }

  private set(isReady: boolean): void {
    if (this.ending.signal.aborted) return
    this.isReady = isReady
    if (isReady) this.isServing = true
    for (const look of [...this.waiting]) {
      this.waiting.delete(look)
      look()
    }
  }

  private async holds(startup: HttpProbe): Promise<boolean> {
    for (let failures = 0; failures < startup.failureThreshold; failures++) {
      if (await this.ask(startup)) return true
      if (!(await this.period(startup))) return false
    }
    this.failure = `${this.container.name} fails its startup probe: the kubelet would restart it`
    this.set(false)
    return false
  }

  private async watch(probe: HttpProbe | null, good: () => void, bad: () => void): Promise<void> {
    if (probe === null) return good()
    let failures = 0
    do {
      failures = (await this.ask(probe)) ? 0 : failures + 1
      if (failures === 0) good()
      else if (failures >= probe.failureThreshold) bad()
    } while (await this.period(probe))
  }

  /** @returns whether it goes on */
  private period({ periodSeconds }: HttpProbe): Promise<boolean> {
    const { signal } = this.ending
    return pause(periodSeconds * 1_000, true, { signal }).catch(() => false)
  }

  private async ask({ url, timeoutSeconds }: HttpProbe): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(timeoutSeconds * 1_000)
      const response = await fetch(url, { signal, redirect: 'manual' })
      await response.arrayBuffer()
      return response.status >= 200 && response.status < 400
    } catch {
      return false
    }
  }
}
