/** A clock is wrong by this much, one after the other: back and forth in the middle of work. */
const offsetsMs = [0, 3_600_000, -3_600_000, 86_400_000, -1_000]
const jumpEveryMs = 1_500

/** Runs before the process's own code, so it must be one that Node takes as it stands. */
const source = `
const real = Date
const offsets = ${JSON.stringify(offsetsMs)}
const began = real.now()
const moved = () => {
  const now = real.now()
  return now + offsets[Math.floor((now - began) / ${jumpEveryMs}) % offsets.length]
}
globalThis.Date = class Date extends real {
  constructor(...args) {
    if (args.length === 0) super(moved())
    else super(...args)
  }
  static now() {
    return moved()
  }
}
`

/** What makes a process of Node live by such a clock. */
export const movedClock: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}`,
}
