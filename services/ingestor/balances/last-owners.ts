import { withoutPrefix } from '../../../libs/chain/hex.ts'
import type { Transfer } from '../../../libs/chain/token.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'

const tag = Buffer.from('l')
const idDigits = 64

/** An id of an ERC-721, moved by a log. */
export type OwnerMove = Pick<Transfer, 'token' | 'from' | 'to'> & { readonly tokenId: bigint }

const nameOf = ({ token, tokenId }: OwnerMove): string =>
  withoutPrefix(token) + tokenId.toString(16).padStart(idDigits, '0')
const keyOf = (name: string): Buffer => Buffer.concat([tag, Buffer.from(name, 'hex')])

/**
 * Who got an id of an ERC-721 last, as logs say. Where somebody else sends it, it has changed hands
 * without a log, or an earlier log lied (decision 64). Derived from the log; ranges of ids are not
 * noted, so an id that one has moved since can look contradicted.
 */
export class LastOwners {
  readonly #state: StateStore
  /** By name: digits of the address. */
  readonly #unsaved = new Map<string, string>()

  constructor(state: StateStore) {
    this.#state = state
  }

  /**
   * @param hasRoom whether an id that was never seen is remembered
   * @returns whether the log contradicts the one before; an id that was never seen may be older
   */
  note(move: OwnerMove, hasRoom = true): boolean {
    const name = nameOf(move)
    const owner = this.#of(name)
    if (owner !== undefined || hasRoom) this.#unsaved.set(name, withoutPrefix(move.to))
    return owner !== undefined && owner !== withoutPrefix(move.from)
  }

  /** A block is left: its moves, in the order of the log. */
  takeBack(moves: Iterable<OwnerMove>): void {
    const first = new Map<string, OwnerMove>()
    for (const move of moves) {
      const name = nameOf(move)
      if (!first.has(name)) first.set(name, move)
    }
    for (const [name, { from }] of first) {
      if (this.#of(name) !== undefined) this.#unsaved.set(name, withoutPrefix(from))
    }
  }

  get unsavedCount(): number {
    return this.#unsaved.size
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    for (const [name, owner] of this.#unsaved) yield [keyOf(name), Buffer.from(owner, 'hex')]
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    await removeAll(this.#state, tag)
  }

  #of(name: string): string | undefined {
    return this.#unsaved.get(name) ?? this.#state.get(keyOf(name))?.toString('hex')
  }
}
