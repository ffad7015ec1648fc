import type { CanonicalMessage } from './canonical.ts'

/**
 * The same messages, where observations tell nothing of a state that the log does not carry on:
 * of a block before its first or inside a gap, or, before any block, of another one than the
 * newest that was observed.
 */
export function carriedOn(messages: readonly CanonicalMessage[]): CanonicalMessage[] {
  const firstAt = messages.findIndex(({ kind }) => kind === 'block.applied')
  const first = messages[firstAt]
  const firstBlock = first?.kind === 'block.applied' ? first.block.number : null
  const early = messages.slice(0, Math.max(0, firstAt))
  const newest = Math.max(
    -1,
    ...early.map((one) => (one.kind === 'state.observed' ? one.block : -1)),
  )
  let floor = firstBlock === null ? 0 : firstBlock - 1
  return messages.map((message, at) => {
    if (message.kind === 'gap.declared') floor = message.to
    if (message.kind !== 'state.observed') return message
    const isEarly = firstBlock !== null && at < firstAt
    const counts = message.block >= floor && (!isEarly || message.block === newest)
    return counts ? message : { ...message, balances: [], owners: [], supplies: [] }
  })
}
