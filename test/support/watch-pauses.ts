const lookMs = 5
const mebi = 2 ** 20

interface Pauses {
  readonly seconds: number
  /** How long no other work had a turn, at most. */
  readonly longestMs: number
  /** … in processor time of this process, which other processes do not lengthen. */
  readonly longestCpuMs: number
  readonly heapMiB: number
  readonly rssMiB: number
}

/** Looks at the event loop and the memory of this process. */
export function watchPauses(): { readonly end: () => Pauses } {
  const begun = performance.now()
  let [last, longest, longestCpu, heap, rss] = [begun, 0, 0, 0, 0]
  let cpu = process.cpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - lookMs)
    last = now
    const { user, system } = process.cpuUsage(cpu)
    longestCpu = Math.max(longestCpu, (user + system) / 1_000)
    cpu = process.cpuUsage()
    const { heapUsed, rss: resident } = process.memoryUsage()
    heap = Math.max(heap, heapUsed)
    rss = Math.max(rss, resident)
  }, lookMs)
  return {
    end() {
      clearInterval(timer)
      return {
        seconds: Math.round((performance.now() - begun) / 100) / 10,
        longestMs: Math.round(longest),
        longestCpuMs: Math.round(longestCpu),
        heapMiB: Math.round(heap / mebi),
        rssMiB: Math.round(rss / mebi),
      }
    },
  }
}
