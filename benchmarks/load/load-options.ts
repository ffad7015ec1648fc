import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { thresholdsDefault } from './thresholds.ts'

/** Flags of run-load.ts, as `parseArgs` reads them. */
export const loadOptionsForm = {
  origin: { type: 'string', default: 'http://127.0.0.1:4000' },
  rate: { type: 'string', default: '1000' },
  seconds: { type: 'string', default: '300' },
  'ramp-seconds': { type: 'string', default: '30' },
  zipf: { type: 'string', default: '1' },
  'deep-share': { type: 'string', default: '0.1' },
  'conditional-share': { type: 'string', default: '0.05' },
  start: { type: 'string' },
  targets: {
    type: 'string',
    default: fileURLToPath(new URL('./targets.json', import.meta.url)),
  },
  'api-key': { type: 'string' },
  seed: { type: 'string', default: '1' },
  'p50-ms': { type: 'string', default: `${thresholdsDefault.p50MsMax}` },
  'p99-ms': { type: 'string', default: `${thresholdsDefault.p99MsMax}` },
  success: { type: 'string', default: `${thresholdsDefault.successMin}` },
  vegeta: { type: 'string' },
} as const

const number = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().min(least).max(most)
const whole = z.coerce.number().int().min(1)

const flags = z.object({
  origin: z.url().transform((url) => url.replace(/\/$/, '')),
  rate: whole,
  seconds: whole,
  'ramp-seconds': whole,
  zipf: number(0),
  'deep-share': number(0, 1),
  'conditional-share': number(0, 1),
  start: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .nullable()
    .default(null),
  targets: z.string(),
  'api-key': z.string().nullable().default(null),
  seed: whole,
  'p50-ms': number(0),
  'p99-ms': number(0),
  success: number(0, 1),
  vegeta: z.string().nullable().default(null),
})

/** @throws with the flag that is wrong */
export function loadOptions(values: Readonly<Record<string, unknown>>) {
  const { success, data, error } = flags.safeParse(values)
  if (!success) {
    const wrong = error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`)
    throw new Error(wrong.join('; '))
  }
  const { zipf: exponent, 'api-key': apiKey, 'ramp-seconds': rampSeconds, ...rest } = data
  return {
    ...{ origin: rest.origin, rate: rest.rate, seconds: rest.seconds, rampSeconds, exponent },
    ...{ deepShare: rest['deep-share'], conditionalShare: rest['conditional-share'], apiKey },
    ...{ start: rest.start, targets: rest.targets, seed: rest.seed, vegeta: rest.vegeta },
    ...{ p50MsMax: rest['p50-ms'], p99MsMax: rest['p99-ms'], successMin: rest.success },
  }
}
