import { describe, expect, it } from 'vitest'
import { bytesOf, containerOfPod, type Surroundings } from './container-of-pod.ts'

const container = {
  name: 'api',
  image: 'foldscan:1',
  imagePullPolicy: 'IfNotPresent',
  args: ['api'],
  envFrom: [{ configMapRef: { name: 'settings' } }],
  env: [{ name: 'FOLDSCAN_PORT', value: '4000' }],
  ports: [
    { name: 'http', containerPort: 4000 },
    { name: 'health', containerPort: 4100 },
  ],
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '768Mi' } },
  readinessProbe: { httpGet: { path: '/health/ready', port: 'health' }, periodSeconds: 5 },
}

const spec = {
  serviceAccountName: 'foldscan',
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: 35,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    fsGroup: 70000,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [container],
}

const around: Surroundings = {
  podName: 'api-1',
  namespace: 'explorer',
  address: '127.64.0.1',
  configMaps: { settings: { FOLDSCAN_PORT: '1', FOLDSCAN_HOST: '0.0.0.0' } },
  secrets: { passwords: { kafka: 'hunter2' } },
  hosts: { 'foldscan-api': '127.64.0.9' },
  claim: (name) => `claim-${name}`,
  prefix: 'test-',
}

const withContainer = (more: object) => ({ ...spec, containers: [{ ...container, ...more }] })
const argsOf = (pod: unknown) => containerOfPod(pod, around).args
/** Values of a flag, in their order. */
const flag = (args: readonly string[], name: string) =>
  args.flatMap((each, at) => (args[at - 1] === name ? [each] : []))

describe('a pod as arguments of docker create', () => {
  it('has name, image and arguments, and the command as its entrypoint', () => {
    expect(argsOf(spec).slice(-2)).toEqual(['foldscan:1', 'api'])
    expect(argsOf(spec)).not.toContain('--entrypoint')
    const args = argsOf(withContainer({ command: ['node', '-e'], args: ['1'] }))
    expect(args.slice(-5)).toEqual(['--entrypoint', 'node', 'foldscan:1', '-e', '1'])
    expect(flag(args, '--name')).toEqual(['test-api-1'])
    expect(flag(args, '--hostname')).toEqual(['api-1'])
  })

  it('has no rights', () => {
    const args = argsOf(spec)
    expect(flag(args, '--user')).toEqual(['65532:65532'])
    expect(flag(args, '--group-add')).toEqual(['70000'])
    expect(flag(args, '--cap-drop')).toEqual(['ALL'])
    expect(flag(args, '--security-opt')).toEqual(['no-new-privileges'])
    expect(args).toContain('--read-only')
    expect(args).toContain('--no-healthcheck')
  })

  it('has its limits, and shares of the processor by its request', () => {
    const args = argsOf(spec)
    expect(flag(args, '--memory')).toEqual([`${768 * 1_024 ** 2}`])
    expect(flag(args, '--memory-swap')).toEqual(flag(args, '--memory'))
    expect(flag(args, '--cpu-shares')).toEqual(['256'])
    expect(args).not.toContain('--cpus')
    expect(bytesOf('1Gi')).toBe(1_024 ** 3)
    expect(() => bytesOf('1G')).toThrow('1G is no amount of memory')
  })

  it('has variables of ConfigMaps, Secrets and fields; its own win', () => {
    const env = [
      { name: 'FOLDSCAN_PORT', value: '4000' },
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'passwords', key: 'kafka' } } },
    ]
    expect(flag(argsOf(withContainer({ env })), '--env')).toEqual([
      'FOLDSCAN_PORT=4000',
      // All addresses of a pod are its own one.
      'FOLDSCAN_HOST=127.64.0.1',
      'NAME=api-1',
      'PASSWORD=hunter2',
    ])
  })

  it('has volumes: empty ones, claims, and files of Secrets in the mode of the volume', () => {
    const secret = { name: 'passwords', items: [{ key: 'kafka', path: 'kafka-password' }] }
    const volumes = [
      { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-api-0' } },
      { name: 'files', projected: { defaultMode: 0o440, sources: [{ secret }] } },
    ]
    const volumeMounts = [
      { name: 'files', mountPath: '/run/foldscan', readOnly: true },
      { name: 'data', mountPath: '/data' },
    ]
    const pod = containerOfPod({ ...withContainer({ volumeMounts }), volumes }, around)
    expect(flag(pod.args, '--volume')).toEqual([
      'test-api-1-files:/run/foldscan:nocopy,ro',
      'claim-data-api-0:/data:nocopy',
    ])
    expect(pod.volumes.map(({ name, isKept }) => [name, isKept])).toEqual([
      ['test-api-1-tmp', false],
      ['claim-data-api-0', true],
      ['test-api-1-files', false],
    ])
    expect(pod.volumes[2]).toMatchObject({
      group: 70000,
      fileMode: 0o440,
      files: [{ path: 'kafka-password', text: 'hunter2' }],
    })
    expect(pod.args.join()).not.toContain('hunter2')
  })

  it('has probes at the ports that they name, with the times of Kubernetes', () => {
    const { readiness, startup, origins } = containerOfPod(spec, around)
    expect(startup).toBeNull()
    expect(readiness).toEqual({
      url: 'http://127.64.0.1:4100/health/ready',
      initialDelaySeconds: 0,
      periodSeconds: 5,
      timeoutSeconds: 1,
      failureThreshold: 3,
      successThreshold: 1,
    })
    expect(origins.http).toBe('http://127.64.0.1:4000')
  })

  it('ends as it reports', () => {
    const lifecycle = { preStop: { sleep: { seconds: 5 } } }
    const pod = containerOfPod(withContainer({ lifecycle }), around)
    expect([pod.preStopSeconds, pod.graceSeconds]).toEqual([5, 35])
    expect(containerOfPod(spec, around).preStopSeconds).toBe(0)
  })

  it.each([
    ['a field that it does not know', withContainer({ tty: true }), /tty/],
    [
      'a pod of root',
      { ...spec, securityContext: { ...spec.securityContext, runAsUser: 0 } },
      />=1/,
    ],
    ['links to Services', { ...spec, enableServiceLinks: true }, /enableServiceLinks/],
    ['a second container', { ...spec, containers: [container, container] }, /exactly 1|<=1/],
    [
      'a ConfigMap that is not there',
      withContainer({ envFrom: [{ configMapRef: { name: 'none' } }] }),
      /ConfigMap none does not exist/,
    ],
    [
      'a key that a Secret lacks',
      withContainer({
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'passwords', key: 'b' } } }],
      }),
      /Secret passwords has no key b/,
    ],
    [
      'a mount without a volume',
      withContainer({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
      /no volume data/,
    ],
    [
      'a reference to a variable',
      withContainer({ args: ['$(FOLDSCAN_PORT)'] }),
      /reference to a variable/,
    ],
  ])('is refused with %s', (_, pod, sentence) => {
    expect(() => containerOfPod(pod, around)).toThrow(sentence)
  })
})
