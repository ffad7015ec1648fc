import type { Position } from '../../libs/chain/position.ts'
import { next, position } from '../../libs/chain/position.ts'
import type { LogMessage } from '../../libs/ports/event-log.ts'
import { type Accepted, accept, type Head } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'

/** Messages about to be published: each checked as every reader will check it. */
export class Draft {
  readonly chainId: number
  readonly messages: BlocksMessage[] = []
  #accepted: Accepted

  constructor(accepted: Accepted, chainId: number) {
    this.#accepted = accepted
    this.chainId = chainId
  }

  /** The newest block, those of this draft among them; null before the first. */
  get head(): Head | null {
    return this.#accepted.head
  }

  /** @throws if a reader would skip the message: nothing of this draft may then be published */
  add(make: (envelope: { sequence: Position; chainId: number }) => BlocksMessage): void {
    const sequence = next(position(this.#accepted.sequence))
    const message = make({ sequence, chainId: this.chainId })
    const fate = accept(this.#accepted, message)
    if (fate.fate === 'skipped') {
      throw new Error(`would publish what readers skip as ${fate.reason}: ${fate.detail}`)
    }
    this.#accepted = fate.next
    this.messages.push(message)
  }

  /** @throws if a message is larger than the bound */
  encoded(messageBytesMax: number): readonly LogMessage[] {
    return this.messages.map((message) => {
      const value = encodeMessage(message)
      if (value.length > messageBytesMax) {
        throw new Error(
          `${nameOf(message)} makes a message of ${value.length} bytes, ` +
            `above messageBytesMax (${messageBytesMax})`,
        )
      }
      return { key: String(this.chainId), value }
    })
  }
}

function nameOf(message: BlocksMessage): string {
  switch (message.kind) {
    case 'block.applied':
    case 'block.reverted':
      return `block ${message.block.number}`
    case 'state.observed':
      return `the observation after block ${message.block}`
    case 'gap.declared':
      return `the gap from block ${message.from}`
  }
}
