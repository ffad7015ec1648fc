import type { BlocksMessage } from '../../libs/topics/blocks.ts'

export type CanonicalMessage = Exclude<BlocksMessage, { kind: 'block.reverted' }>

/**
 * What is left of accepted messages when every reverted block is taken away, with all that was
 * published after it.
 */
export function canonical(accepted: readonly BlocksMessage[]): CanonicalMessage[] {
  const kept: CanonicalMessage[] = []
  for (const message of accepted) {
    if (message.kind !== 'block.reverted') {
      kept.push(message)
      continue
    }
    const { hash } = message.block
    const at = kept.findIndex((one) => one.kind === 'block.applied' && one.block.hash === hash)
    if (at < 0) throw new Error(`the reverted block ${hash} was never applied`)
    kept.splice(at)
  }
  return kept
}
