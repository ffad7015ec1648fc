import { type Address, address, type Hash, hash, withoutPrefix } from '../../chain/hex.ts'
import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'

/** An address of which more is known than that it exists. Its id: its 40 digits. */
export interface Account {
  /**
   * Created in the log, emitted a log with code of its own, or reported by the source to have code.
   */
  hasCode: boolean
  creationTransaction: Hash | null
  /** The block of that transaction; -1 if the log does not hold it. */
  createdAt: number
  /** EIP-7702: whose code it runs. */
  delegate: Address | null
  /** The lowest nonce that its next authorization may have; 0 if it never authorized any. */
  nonce: number
  /** Its nonce was not confirmed by a transaction since; see `accounts.ts`. */
  isAssumed: boolean
  /** Whose code it runs if the assumption is wrong; null without one. */
  delegateBefore: Address | null
}

export const newAccount = (): Account => ({
  hasCode: false,
  creationTransaction: null,
  createdAt: -1,
  delegate: null,
  nonce: 0,
  isAssumed: false,
  delegateBefore: null,
})

const flag = { code: 1, created: 2, delegate: 4, assumed: 8, before: 16 } as const

function flagsOf(account: Account): number {
  let flags = 0
  if (account.hasCode) flags |= flag.code
  if (account.creationTransaction !== null) flags |= flag.created
  if (account.delegate !== null) flags |= flag.delegate
  if (account.isAssumed) flags |= flag.assumed
  if (account.delegateBefore !== null) flags |= flag.before
  return flags
}

export const accountEntity: Entity<Account> = {
  name: 'account',
  tag: 0x06,
  encode(account) {
    const { creationTransaction, createdAt, delegate, nonce, delegateBefore } = account
    writer
      .byte(flagsOf(account))
      .integer(createdAt + 1)
      .integer(nonce)
    if (creationTransaction !== null) writer.fixed(withoutPrefix(creationTransaction))
    if (delegate !== null) writer.fixed(withoutPrefix(delegate))
    if (delegateBefore !== null) writer.fixed(withoutPrefix(delegateBefore))
    return writer.done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    return {
      hasCode: (flags & flag.code) !== 0,
      createdAt: reader.integer() - 1,
      nonce: reader.integer(),
      isAssumed: (flags & flag.assumed) !== 0,
      creationTransaction: flags & flag.created ? hash(`0x${reader.fixed(32)}`) : null,
      delegate: flags & flag.delegate ? address(`0x${reader.fixed(20)}`) : null,
      delegateBefore: flags & flag.before ? address(`0x${reader.fixed(20)}`) : null,
    }
  },
}
