import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { HelmTools } from '../helm/helm-tools.ts'
import { type KubernetesObject, rendered } from '../helm/rendered.ts'
import { containerOfPod, type Surroundings } from './container-of-pod.ts'
import { docker } from './docker.ts'
import { type Hook, type ObjectsOfRelease, objectsOfRelease, type Workload } from './objects.ts'
import { type Ended, type RunningPod, removePod, startPod } from './running-pod.ts'
import { type ServiceRelay, serviceRelay } from './service-relay.ts'

export interface ReleaseOptions {
  readonly tools: HelmTools
  readonly name: string
  readonly secrets: Surroundings['secrets']
}

/** A pod of a workload, with what Services find it by. */
export interface PodOfRelease {
  readonly workload: string
  readonly labels: Readonly<Record<string, string>>
  readonly address: string
  readonly pod: RunningPod
}

/** The namespace that `rendered` names. */
const namespace = 'explorer'
let releases = 0

/**
 * A release of the chart, whose pods are containers on the network of this machine: each pod and
 * Service has a loopback address of its own. It does what Helm, the controllers and the kubelet do.
 */
export class Release {
  /** All pods that run, by their names. */
  readonly pods = new Map<string, PodOfRelease>()
  /** Logs of pods that have ended, and what is wrong with how they did. */
  readonly ended: { readonly name: string; readonly log: string }[] = []
  readonly complaints: string[] = []
  objects: readonly KubernetesObject[] = []
  private readonly options: ReleaseOptions
  private readonly prefix: string
  private readonly network = `127.${randomInt(64, 128)}.${randomInt(1, 255)}`
  private readonly relays = new Map<string, ServiceRelay>()
  private addresses = 0
  private generation = 0

  constructor(options: ReleaseOptions) {
    this.options = options
    releases += 1
    this.prefix = `foldscan-${process.pid}-${releases}-`
  }

  /** `helm install`, or `helm upgrade` where it was installed before. @throws if a hook fails */
  async apply(values: unknown, wait: (workload: string) => Promise<void> = async () => {}) {
    const hook = this.objects.length === 0 ? 'pre-install' : 'pre-upgrade'
    const found = this.render(values)
    this.generation += 1
    for (const job of found.jobs(hook)) await this.succeed(job)
    for (const workload of found.workloads) {
      if (workload.surge === null) await this.replace(workload, found)
      else await this.roll(workload, workload.surge, found)
      await wait(workload.name)
    }
  }

  /** Runs the jobs of the hook alone. @returns how each ended, in their order */
  async runJobs(values: unknown): Promise<Ended[]> {
    const ended: Ended[] = []
    for (const job of this.render(values).jobs('pre-upgrade')) ended.push(await this.once(job))
    return ended
  }

  /** `helm test`. @throws with the log of a test that fails */
  async test(values: unknown): Promise<string[]> {
    const found = this.render(values)
    await this.openServices(found)
    const logs: string[] = []
    for (const test of found.tests) logs.push((await this.succeed(test)).log)
    return logs
  }

  podsOf = (workload: string): RunningPod[] =>
    [...this.pods.values()].filter((each) => each.workload === workload).map(({ pod }) => pod)

  /** Ready pods of a Service, as in its EndpointSlice. */
  private endpoints(selector: Readonly<Record<string, string>>): PodOfRelease[] {
    const isOf = ({ labels }: PodOfRelease) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value)
    return [...this.pods.values()].filter((each) => isOf(each) && each.pod.isReady())
  }

  /** Starts a pod of a workload beside what runs, on the claim that this workload has. */
  async startPodOf(workload: string, values: unknown): Promise<RunningPod> {
    const found = this.render(values)
    const wanted = found.workloads.find(({ name }) => name === workload)
    if (wanted === undefined) throw new Error(`no workload ${workload}`)
    return await this.start(`${workload}-alone-${this.addresses}`, wanted, found)
  }

  /** Ends all pods, and removes what they had. */
  async drop(): Promise<void> {
    for (const relay of this.relays.values()) await relay.close()
    await Promise.all([...this.pods.keys()].map((name) => this.remove(name)))
    const volumes = await docker('volume', 'ls', '--quiet', '--filter', `name=^${this.prefix}`)
    for (const name of volumes.split('\n')) if (name !== '') await docker('volume', 'rm', name)
  }

  private render(values: unknown): ObjectsOfRelease {
    const { tools, name } = this.options
    const { objects, stderr } = rendered(tools, { name, values })
    if (objects.length === 0) throw new Error(`helm template: ${stderr}`)
    this.objects = objects
    return objectsOfRelease(objects)
  }

  /** One process at a time: the old one is gone before the new one has its volume. */
  private async replace(workload: Workload, found: ObjectsOfRelease): Promise<void> {
    const name = `${workload.name}-0`
    if (this.pods.has(name)) await this.end(name)
    const pod = await this.start(name, workload, found)
    await pod.ready
  }

  /** New pods first; each that was available for long enough lets an old one go. */
  private async roll(workload: Workload, surge: number, found: ObjectsOfRelease): Promise<void> {
    const { name, replicas, minReadySeconds } = workload
    const old = [...this.pods].filter(([, each]) => each.workload === name).map(([own]) => own)
    const endings: Promise<void>[] = []
    const step = old.length === 0 ? replicas : surge
    for (let started = 0; started < replicas; started += step) {
      const count = Math.min(step, replicas - started)
      const pods = await Promise.all(
        Array.from({ length: count }, (_, at) =>
          this.start(`${name}-${this.generation}-${started + at}`, workload, found),
        ),
      )
      await Promise.all(pods.map(({ ready }) => ready))
      await pause(minReadySeconds * 1_000)
      endings.push(...old.splice(0, count).map((each) => this.end(each)))
    }
    await Promise.all([...endings, ...old.map((each) => this.end(each))])
  }

  private async start(name: string, of: Workload, found: ObjectsOfRelease): Promise<RunningPod> {
    const address = this.newAddress()
    const around = this.around({ podName: name, address, configMaps: found.configMaps })
    const pod = await startPod(containerOfPod(of.spec, around))
    this.pods.set(name, { workload: of.name, labels: of.labels, address, pod })
    return pod
  }

  private async end(name: string): Promise<void> {
    const pod = this.pods.get(name)?.pod
    if (pod === undefined) return
    const { code, isKilled } = await pod.end()
    if (code !== 0) this.complaints.push(`${name} ended with ${code}${isKilled ? ', killed' : ''}`)
    await this.remove(name)
  }

  private async remove(name: string): Promise<void> {
    const pod = this.pods.get(name)?.pod
    if (pod === undefined) return
    const failure = pod.failure()
    if (failure !== null) this.complaints.push(failure)
    this.ended.push({ name, log: await pod.log() })
    this.pods.delete(name)
    await removePod(pod.name)
  }

  private async succeed(hook: Hook): Promise<Ended> {
    const ended = await this.once(hook)
    if (ended.code === 0) return ended
    throw new Error(`${hook.name} ended with ${ended.code}: ${ended.log}`)
  }

  private async once({ name, spec }: Hook): Promise<Ended> {
    const around = this.around({ podName: name, address: this.newAddress(), configMaps: {} })
    const pod = await startPod(containerOfPod(spec, around))
    const ended = await pod.ended
    this.ended.push({ name, log: ended.log })
    await removePod(pod.name)
    return ended
  }

  private around(own: Pick<Surroundings, 'podName' | 'address' | 'configMaps'>): Surroundings {
    const hosts = Object.fromEntries([...this.relays].map(([name, { address }]) => [name, address]))
    const claim = (name: string) => `${this.prefix}claim-${name}`
    const { secrets } = this.options
    return { ...own, namespace, secrets, hosts, claim, prefix: this.prefix }
  }

  private newAddress(): string {
    this.addresses += 1
    return `${this.network}.${this.addresses}`
  }

  private async openServices({ services }: ObjectsOfRelease): Promise<void> {
    for (const { name, selector, port, targetPort, isHeadless } of services) {
      if (this.relays.has(name)) continue
      const listening = isHeadless ? portOf(this.endpoints(selector), targetPort) : port
      const upstream = () =>
        this.endpoints(selector).map(({ pod }) => pod.origins[targetPort] ?? '')
      const address = this.newAddress()
      this.relays.set(name, await serviceRelay({ address, port: listening, upstream }))
    }
  }
}

/** A headless Service has no port of its own. */
function portOf([first]: readonly PodOfRelease[], targetPort: string): number {
  return Number(new URL(first?.pod.origins[targetPort] ?? 'http://none:0').port)
}
