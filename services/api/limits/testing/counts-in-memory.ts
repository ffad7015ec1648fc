import type {
  Lease,
  LeaseAsk,
  LeaseListener,
  SharedCounts,
} from '../../../../libs/ports/shared-counts.ts'

interface Share {
  count: number
  isOpen: boolean
}

interface ClientWindow {
  readonly shares: Map<string, Share>
  isRecalled: boolean
}

/** What a Redis does with `lease-requests.ts`, for processes of one test; its clock is set. */
export class CountsInMemory {
  nowMs = 1_000_000
  isAway = false
  roundTrips = 0
  private readonly clients = new Map<string, ClientWindow>()
  private readonly listeners = new Map<string, LeaseListener>()

  ofProcess(process: string): SharedCounts {
    return {
      lease: async ({ window: known, windowMs, asks }) => {
        await Promise.resolve()
        this.roundTrips++
        if (this.isAway) return null
        const window = Math.floor(this.nowMs / windowMs)
        const leftMs = (window + 1) * windowMs - this.nowMs
        const stated = asks.map((ask) =>
          known === window ? ask : { ...ask, used: 0, isReturn: false },
        )
        const leases = stated.map((ask) => this.lease(process, window, ask))
        const { nowMs } = this
        await Promise.resolve()
        return { window, leftMs, nowMs, leases }
      },
      listen: (listener) => void this.listeners.set(process, listener),
      close: async () => void this.listeners.delete(process),
    }
  }

  private lease(process: string, window: number, ask: LeaseAsk): Lease {
    const { client, limit, used, wanted, isReturn } = ask
    const key = `${window} ${client}`
    const known = this.clients.get(key) ?? { shares: new Map<string, Share>(), isRecalled: false }
    this.clients.set(key, known)
    const others = [...known.shares].filter(([name]) => name !== process)
    const holders = others.filter(([, { isOpen }]) => isOpen).length
    const left = Math.max(0, limit - used - others.reduce((sum, [, { count }]) => sum + count, 0))
    const isExact = isReturn || known.isRecalled
    const granted = Math.min(left, isExact ? wanted : Math.max(wanted, Math.floor(left / 4)))
    known.shares.set(process, { count: used + granted, isOpen: granted > wanted })
    if (isReturn) this.announce(process, (listener) => listener.returned(client, window))
    else if (granted < wanted && holders > 0) {
      known.isRecalled = true
      this.announce(process, (listener) => listener.recalled(client, window))
    }
    return { granted, left: left - granted, holders }
  }

  private announce(sender: string, tell: (listener: LeaseListener) => void): void {
    for (const [name, listener] of this.listeners) {
      if (name !== sender) queueMicrotask(() => tell(listener))
    }
  }
}
