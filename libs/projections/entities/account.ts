import { type Address, address, type Hash, hash } from '../../chain/hex.ts'
import type { Entity } from '../state.ts'
import { BinaryReader, writer } from './binary.ts'
import { bare } from './pair.ts'

/** An address of which more is known than that it exists. Its id: its 40 digits. */
export interface Account {
  /** Created in the log, emitted a log with code of its own, or said to have code. */
  hasCode: boolean
  creationTransaction: Hash | null
  /** The block of that transaction; -1 if the log does not hold it. */
  createdAt: number
  /** EIP-7702: whose code it runs. */
  delegate: Address | null
  /** The lowest nonce that its next authorization may have; 0 if it never authorized any. */
  authorizedTo: number
}

const flag = { code: 1, created: 2, delegate: 4 } as const

export const accounts: Entity<Account> = {
  name: 'account',
  tag: 0x06,
  encode({ hasCode, creationTransaction, createdAt, delegate, authorizedTo }) {
    const created = creationTransaction === null ? 0 : flag.created
    writer.byte((hasCode ? flag.code : 0) | created | (delegate === null ? 0 : flag.delegate))
    writer.integer(createdAt + 1).integer(authorizedTo)
    if (creationTransaction !== null) writer.fixed(bare(creationTransaction))
    if (delegate !== null) writer.fixed(bare(delegate))
    return writer.done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    return {
      hasCode: (flags & flag.code) !== 0,
      createdAt: reader.integer() - 1,
      authorizedTo: reader.integer(),
      creationTransaction: flags & flag.created ? hash(`0x${reader.fixed(32)}`) : null,
      delegate: flags & flag.delegate ? address(`0x${reader.fixed(20)}`) : null,
    }
  },
}
