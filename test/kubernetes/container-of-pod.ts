import { type Container, type PodSpec, type Probe, podForm, type Volume } from './pod-form.ts'

/** What a pod finds in its namespace and on its node. */
export interface Surroundings {
  readonly podName: string
  readonly namespace: string
  /** Address of the pod. All pods share the network of this machine, so each has one of its own. */
  readonly address: string
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly secrets: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Names of Services, and their addresses. */
  readonly hosts: Readonly<Record<string, string>>
  /** Volume of Docker for a claim. */
  readonly claim: (name: string) => string
  /** Before names of containers and volumes, which all users of the daemon share. */
  readonly prefix: string
}

export interface MountedFile {
  readonly path: string
  readonly text: string
}

/** A volume of Docker, and what the kubelet does with it before the container starts. */
export interface PodVolume {
  readonly name: string
  /** Group that owns it and all that is in it; the kubelet also lets it write. */
  readonly group: number
  readonly fileMode: number
  readonly files: readonly MountedFile[]
  /** A claim outlives its pods. */
  readonly isKept: boolean
}

export interface HttpProbe extends Omit<Probe, 'httpGet'> {
  readonly url: string
}

/** A pod as one container. */
export interface ContainerOfPod {
  readonly name: string
  /** For `docker create`, with the image and its arguments. */
  readonly args: readonly string[]
  readonly image: string
  readonly volumes: readonly PodVolume[]
  readonly startup: HttpProbe | null
  readonly liveness: HttpProbe | null
  readonly readiness: HttpProbe | null
  readonly preStopSeconds: number
  /** From the moment when the pod is deleted until SIGKILL; `preStop` is part of it. */
  readonly graceSeconds: number
  /** Address of each named port. */
  readonly origins: Readonly<Record<string, string>>
}

/**
 * What the kubelet would do with the specification of a pod, for Docker. @throws on a field that is
 * not translated, and on a ConfigMap, Secret or key that does not exist
 */
export function containerOfPod(spec: unknown, around: Surroundings): ContainerOfPod {
  const pod = podForm.parse(spec)
  const [container] = pod.containers
  if (container === undefined) throw new Error('a pod has one container')
  const name = `${around.prefix}${around.podName}`
  const volumes = new Map(pod.volumes.map((each) => [each.name, volumeOf(each, pod, around)]))
  const mounts = container.volumeMounts.flatMap(({ name, mountPath, readOnly }) => {
    const volume = volumes.get(name)
    if (volume === undefined) throw new Error(`no volume ${name}`)
    // Without `nocopy`, Docker gives an empty volume the owner that the folder has in the image.
    return ['--volume', `${volume.name}:${mountPath}:nocopy${readOnly ? ',ro' : ''}`]
  })
  const [entrypoint, ...command] = container.command
  const args = [
    ...['--name', name, '--hostname', around.podName, '--network', 'host', '--pull', 'never'],
    // Kubernetes has probes of its own.
    '--no-healthcheck',
    ...Object.entries(around.hosts).flatMap(([host, address]) => [
      '--add-host',
      `${host}:${address}`,
    ]),
    ...securityOf(pod, container),
    ...limitsOf(container),
    ...mounts,
    ...environmentOf(container, around).flatMap((each) => ['--env', each]),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    container.image,
    ...command,
    ...container.args.map(withoutReference),
  ]
  return {
    name,
    args,
    image: container.image,
    volumes: [...volumes.values()],
    startup: probeOf(container, container.startupProbe, around),
    liveness: probeOf(container, container.livenessProbe, around),
    readiness: probeOf(container, container.readinessProbe, around),
    preStopSeconds: container.lifecycle?.preStop.sleep.seconds ?? 0,
    graceSeconds: pod.terminationGracePeriodSeconds,
    origins: Object.fromEntries(
      container.ports.map((port) => [port.name, `http://${around.address}:${port.containerPort}`]),
    ),
  }
}

function securityOf({ securityContext: pod }: PodSpec, { securityContext }: Container): string[] {
  return [
    ...['--user', `${pod.runAsUser}:${pod.runAsGroup}`, '--group-add', `${pod.fsGroup}`],
    ...(securityContext.readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(securityContext.allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
    ...securityContext.capabilities.drop.flatMap((name) => ['--cap-drop', name]),
  ]
}

const sharesOfCpu = 1_024

function limitsOf({ resources: { requests, limits } }: Container): string[] {
  const memory = limits.memory === undefined ? [] : [`${bytesOf(limits.memory)}`]
  return [
    ...memory.flatMap((bytes) => ['--memory', bytes, '--memory-swap', bytes]),
    ...(requests.cpu === undefined
      ? []
      : ['--cpu-shares', `${Math.max(2, Math.round(cpusOf(requests.cpu) * sharesOfCpu))}`]),
    ...(limits.cpu === undefined ? [] : ['--cpus', `${cpusOf(limits.cpu)}`]),
  ]
}

const units: Readonly<Record<string, number>> = { Ki: 1_024, Mi: 1_024 ** 2, Gi: 1_024 ** 3 }

/** @throws on a unit that no value of the chart has */
export function bytesOf(quantity: string): number {
  const [, number = '', unit = ''] = /^(\d+)(Ki|Mi|Gi)$/.exec(quantity) ?? []
  const factor = units[unit]
  if (factor === undefined) throw new Error(`${quantity} is no amount of memory`)
  return Number(number) * factor
}

const cpusOf = (quantity: string): number =>
  quantity.endsWith('m') ? Number(quantity.slice(0, -1)) / 1_000 : Number(quantity)

/** Later ones win, as with the kubelet: `env` over `envFrom`. */
function environmentOf(container: Container, around: Surroundings): string[] {
  const { address, podName, namespace } = around
  const fields = {
    'metadata.name': podName,
    'metadata.namespace': namespace,
    'status.podIP': address,
  } as const
  const from = container.envFrom.flatMap((each) =>
    Object.entries(
      'configMapRef' in each
        ? mapOf(around.configMaps, 'ConfigMap', each.configMapRef.name)
        : mapOf(around.secrets, 'Secret', each.secretRef.name),
    ),
  )
  const own = container.env.map((each): [string, string] => {
    if ('value' in each) return [each.name, withoutReference(each.value)]
    const { valueFrom } = each
    if ('fieldRef' in valueFrom) return [each.name, fields[valueFrom.fieldRef.fieldPath]]
    if ('secretKeyRef' in valueFrom) {
      return [each.name, keyOf(around.secrets, 'Secret', valueFrom.secretKeyRef)]
    }
    return [each.name, keyOf(around.configMaps, 'ConfigMap', valueFrom.configMapKeyRef)]
  })
  const all = new Map([...from, ...own])
  return [...all].map(([name, value]) => `${name}=${value === everyAddress ? address : value}`)
}

/** What listens there listens on the address of its pod. */
const everyAddress = '0.0.0.0'

/** The kubelet would replace it; the chart has none. */
function withoutReference(text: string): string {
  if (text.includes('$(')) throw new Error(`a reference to a variable is not translated: ${text}`)
  return text
}

type Maps = Surroundings['configMaps']

function mapOf(maps: Maps, kind: string, name: string): Readonly<Record<string, string>> {
  const found = maps[name]
  if (found === undefined) throw new Error(`${kind} ${name} does not exist`)
  return found
}

function keyOf(maps: Maps, kind: string, { name, key }: { name: string; key: string }): string {
  const found = mapOf(maps, kind, name)[key]
  if (found === undefined) throw new Error(`${kind} ${name} has no key ${key}`)
  return found
}

const ownerOnlyMode = 0o660

function volumeOf(volume: Volume, pod: PodSpec, around: Surroundings): PodVolume {
  const group = pod.securityContext.fsGroup
  const own = `${around.prefix}${around.podName}-${volume.name}`
  const empty = { name: own, group, fileMode: ownerOnlyMode, files: [], isKept: false }
  if ('emptyDir' in volume) return empty
  if ('persistentVolumeClaim' in volume) {
    const name = around.claim(volume.persistentVolumeClaim.claimName)
    return { ...empty, name, isKept: true }
  }
  const { defaultMode, sources } = volume.projected
  const files = sources.flatMap((each) => {
    const [maps, kind, { name, items }] =
      'secret' in each
        ? ([around.secrets, 'Secret', each.secret] as const)
        : ([around.configMaps, 'ConfigMap', each.configMap] as const)
    return items.map(({ key, path }) => ({ path, text: keyOf(maps, kind, { name, key }) }))
  })
  return { ...empty, fileMode: defaultMode, files }
}

function probeOf(
  { ports }: Container,
  probe: Probe | undefined,
  { address }: Surroundings,
): HttpProbe | null {
  if (probe === undefined) return null
  const { httpGet, ...times } = probe
  const port =
    typeof httpGet.port === 'number'
      ? httpGet.port
      : ports.find(({ name }) => name === httpGet.port)?.containerPort
  if (port === undefined) throw new Error(`no port ${httpGet.port}`)
  return { ...times, url: `http://${address}:${port}${httpGet.path}` }
}
