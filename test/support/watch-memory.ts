import { readFileSync } from 'node:fs'

const lookMs = 20

/** Memory of its own that a process has at most, by looks at it; mapped files left out. */
export function watchMemory(pid: number): { readonly end: () => number } {
  let peakMiB = 0
  const timer = setInterval(() => {
    peakMiB = Math.max(peakMiB, privateMiB(pid))
  }, lookMs)
  return {
    end() {
      clearInterval(timer)
      return peakMiB
    },
  }
}

/** 0 where there is no such process. */
export function privateMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
