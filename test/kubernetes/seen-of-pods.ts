import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { docker, logsOf } from './docker.ts'
import type { Release } from './release.ts'
import type { RunningPod } from './running-pod.ts'

/** A text that others than a service can see, and where. */
export interface SeenText {
  readonly where: string
  readonly text: string
}

const processForm = z.looseObject({ Pid: z.number(), StartedAt: z.string() })

const processOf = async (pod: RunningPod) =>
  processForm.parse(JSON.parse(await docker('inspect', '-f', '{{json .State}}', pod.name)))

/** Objects of a release, and what its containers, processes, logs and metrics show. */
export async function seenOf(release: Release): Promise<SeenText[]> {
  const seen = [{ where: 'objects', text: JSON.stringify(release.objects) }]
  for (const [name, { pod }] of release.pods) {
    const { Pid } = await processOf(pod)
    const health = pod.origins.health ?? ''
    const pages = ['/metrics', '/health/ready'].map(async (path) => ({
      where: `${name}${path}`,
      text: await (await fetch(health + path)).text(),
    }))
    seen.push(
      { where: `inspection of ${name}`, text: await docker('inspect', pod.name) },
      { where: `arguments of ${name}`, text: readFileSync(`/proc/${Pid}/cmdline`, 'utf8') },
      { where: `log of ${name}`, text: await pod.log() },
      ...(await Promise.all(pages)),
    )
  }
  return [
    ...seen,
    ...release.ended.map(({ name, log }) => ({ where: `log of ${name}`, text: log })),
  ]
}

/** Lines of /proc/PID/status, by their names. */
export async function statusOf(pod: RunningPod): Promise<ReadonlyMap<string, string>> {
  const { Pid } = await processOf(pod)
  const lines = readFileSync(`/proc/${Pid}/status`, 'utf8').split('\n')
  return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.replace(/^\w+:\s*/, '')]))
}

/** From the creation of its process, that of the runtime included, to its first log line. */
export async function firstLineMs(pod: RunningPod): Promise<number> {
  const { Pid } = await processOf(pod)
  const now = Date.now()
  const uptimeMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000
  // The 22nd field, in hundredths of a second; the second field may have spaces.
  const fields = readFileSync(`/proc/${Pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const beganAt = now - uptimeMs + Number(fields[19]) * 10
  const [first = ''] = (await logsOf(pod.name, '--timestamps')).split('\n')
  return Date.parse(first.split(' ')[0] ?? '') - beganAt
}
