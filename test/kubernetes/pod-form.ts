import { z } from 'zod'

/*
 * What the pods of the chart may say. All forms are strict: a field that nothing here knows would
 * be a field that is not tested, so it is refused.
 */

const fieldRef = z.strictObject({
  fieldPath: z.enum(['metadata.name', 'metadata.namespace', 'status.podIP']),
})
const keyRef = z.strictObject({ name: z.string(), key: z.string() })

const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({
    name: z.string(),
    valueFrom: z.union([
      z.strictObject({ fieldRef }),
      z.strictObject({ secretKeyRef: keyRef }),
      z.strictObject({ configMapKeyRef: keyRef }),
    ]),
  }),
])

const source = z.union([
  z.strictObject({ configMapRef: z.strictObject({ name: z.string() }) }),
  z.strictObject({ secretRef: z.strictObject({ name: z.string() }) }),
])

/** Of HTTP alone; the defaults are those of Kubernetes. */
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.union([z.string(), z.number()]) }),
  initialDelaySeconds: z.number().default(0),
  periodSeconds: z.number().default(10),
  timeoutSeconds: z.number().default(1),
  failureThreshold: z.number().default(3),
  successThreshold: z.number().default(1),
})

export type Probe = z.output<typeof probe>

const amounts = z.strictObject({
  cpu: z.string().optional(),
  memory: z.string().optional(),
  /** Of a node: Docker does not count it. */
  'ephemeral-storage': z.string().optional(),
})

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string(),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
  envFrom: z.array(source).default([]),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number() })).default([]),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    capabilities: z.strictObject({ drop: z.array(z.string()) }),
  }),
  resources: z.strictObject({ requests: amounts, limits: amounts }),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z
    .strictObject({
      preStop: z.strictObject({ sleep: z.strictObject({ seconds: z.number() }) }),
    })
    .optional(),
  volumeMounts: z
    .array(
      z.strictObject({
        name: z.string(),
        mountPath: z.string(),
        readOnly: z.boolean().default(false),
      }),
    )
    .default([]),
})

export type Container = z.output<typeof container>

const items = z.array(z.strictObject({ key: z.string(), path: z.string() }))
const projection = z.union([
  z.strictObject({ secret: z.strictObject({ name: z.string(), items }) }),
  z.strictObject({ configMap: z.strictObject({ name: z.string(), items }) }),
])

const volume = z.union([
  z.strictObject({
    name: z.string(),
    emptyDir: z.strictObject({ sizeLimit: z.string().optional() }),
  }),
  z.strictObject({
    name: z.string(),
    persistentVolumeClaim: z.strictObject({ claimName: z.string() }),
  }),
  z.strictObject({
    name: z.string(),
    projected: z.strictObject({ defaultMode: z.number(), sources: z.array(projection) }),
  }),
])

export type Volume = z.output<typeof volume>

/** For the scheduler and the controllers, which a container of Docker has none of. */
const ofScheduler = {
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.literal(false),
  topologySpreadConstraints: z.array(z.unknown()).optional(),
  nodeSelector: z.unknown().optional(),
  affinity: z.unknown().optional(),
  tolerations: z.unknown().optional(),
  priorityClassName: z.string().optional(),
  imagePullSecrets: z.unknown().optional(),
}

export const podForm = z.strictObject({
  ...ofScheduler,
  enableServiceLinks: z.literal(false),
  restartPolicy: z.enum(['Always', 'Never']).default('Always'),
  terminationGracePeriodSeconds: z.number().default(30),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.number().min(1),
    runAsGroup: z.number(),
    fsGroup: z.number(),
    fsGroupChangePolicy: z.string(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.array(container).length(1),
  volumes: z.array(volume).default([]),
})

export type PodSpec = z.output<typeof podForm>
