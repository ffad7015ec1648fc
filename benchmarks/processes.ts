import { readFileSync } from 'node:fs'

/** What Linux reports of another process. */
export interface ProcessNow {
  /** On the processor since it began, in user and kernel mode, its ended children not counted. */
  readonly cpuMs: number
  /** Of all its ended children together. */
  readonly endedChildrenCpuMs: number
  /** Memory of its own, in use now: without mapped files, which the kernel may take back. */
  readonly privateMiB: number
  /** All that is resident now, and the most there ever was, mapped files included. */
  readonly residentMiB: number
  readonly residentPeakMiB: number
}

/** Of the kernel's clock in `stat`: the same on every Linux of ours. */
const tickMs = 10

/** @throws if there is no such process */
export function processNow(pid: number): ProcessNow {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may hold spaces; utime is the 12th after it, then stime, cutime, cstime.
  const [utime, stime, cutime, cstime] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024)
  return {
    cpuMs: (Number(utime) + Number(stime)) * tickMs,
    endedChildrenCpuMs: (Number(cutime) + Number(cstime)) * tickMs,
    privateMiB: mebibytes('RssAnon'),
    residentMiB: mebibytes('VmRSS'),
    residentPeakMiB: mebibytes('VmHWM'),
  }
}
