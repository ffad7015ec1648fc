import { z } from 'zod'

/** What is read of `vegeta report -type=json`; times in nanoseconds. */
export const vegetaReport = z.object({
  requests: z.int(),
  /** Requests a second that were begun. */
  rate: z.number(),
  /** Share of answers from 200 to 399. */
  success: z.number(),
  latencies: z.object({ '50th': z.number(), '99th': z.number(), max: z.number() }),
  status_codes: z.record(z.string(), z.int()),
  errors: z.array(z.string()).nullable(),
})
export type VegetaReport = z.output<typeof vegetaReport>

export interface Thresholds {
  readonly p50MsMax: number
  readonly p99MsMax: number
  /** 0 .. 1 */
  readonly successMin: number
}

export const thresholdsDefault: Thresholds = { p50MsMax: 25, p99MsMax: 300, successMin: 0.999 }

/** Begun late: this machine is too slow for the rate, and waiting would not count. */
const begunShareMin = 0.99

const inMs = (nanoseconds: number): number => Math.round(nanoseconds / 1_000) / 1_000

/** What a report misses, one sentence each; none if it holds. */
export function missedThresholds(
  report: VegetaReport,
  rate: number,
  { p50MsMax, p99MsMax, successMin }: Thresholds,
): string[] {
  const [p50, p99] = [inMs(report.latencies['50th']), inMs(report.latencies['99th'])]
  const missed: string[] = []
  if (report.requests === 0) missed.push('no request was sent')
  if (report.rate < rate * begunShareMin) {
    missed.push(`${report.rate.toFixed(1)} requests a second began, not ${rate}`)
  }
  if (report.success < successMin) {
    missed.push(`success ratio ${report.success} is below ${successMin}`)
  }
  if (p50 > p50MsMax) missed.push(`p50 ${p50} ms is above ${p50MsMax} ms`)
  if (p99 > p99MsMax) missed.push(`p99 ${p99} ms is above ${p99MsMax} ms`)
  return missed
}

/** A report in one line. */
export function reportLine({ requests, success, latencies, status_codes }: VegetaReport): string {
  const codes = Object.entries(status_codes).map(([code, count]) => `${count} x ${code}`)
  return (
    `${requests} requests (${codes.join(', ')}), success ${(success * 100).toFixed(2)} %, ` +
    `p50 ${inMs(latencies['50th'])} ms, p99 ${inMs(latencies['99th'])} ms, ` +
    `max ${inMs(latencies.max)} ms`
  )
}
