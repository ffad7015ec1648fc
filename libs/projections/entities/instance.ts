import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Standard } from '../../chain/token.ts'
import type { Entity } from '../group.ts'
import { tokenIdDigits } from './balance.ts'
import { BinaryReader, writer } from './binary.ts'
import { standardCode, standardOfCode } from './token.ts'

/** One token id. Its id: 40 digits of the token, 64 of the token id. */
export interface Instance {
  ordinal: number
  /** Of its token when it was last touched: its rows are of it. Null: it has no rows yet. */
  standard: Standard | null
  /** ERC-721 and ERC-404: who got it last; null where that is not known or it was burned. */
  owner: Address | null
  /** The block of the owner's last change; -1 before. */
  ownerAt: number
  /** ERC-1155: what holders are known to hold together, */
  held: bigint
  /** the addresses of these holders, all xored: the holder where there is one, */
  holdersXor: bigint
  /** how many balances of it are not known, */
  unknowns: number
  /** and whether the log holds the token's whole history. */
  isComplete: boolean
  /** The block after which its owner was observed while its token was in doubt; else 0. */
  observedAt: number
  /** The chain's `knownFrom` when it was written. */
  knownFrom: number
}

/** The entity after a gap in the log: readers ignore its rows. */
export const forgottenInstance = (instance: Instance): Instance => ({
  ...instance,
  standard: null,
  owner: null,
  held: 0n,
  holdersXor: 0n,
  unknowns: 0,
  isComplete: false,
  observedAt: 0,
})

const addressDigits = 40

export const instanceId = (token: Address, tokenId: bigint): string =>
  `${withoutPrefix(token)}${tokenIdDigits(tokenId)}`

export const parseInstanceId = (id: string): { token: Address; tokenId: bigint } => ({
  token: address(`0x${id.slice(0, addressDigits)}`),
  tokenId: BigInt(`0x${id.slice(addressDigits)}`),
})

const flag = { owner: 8, complete: 16 } as const

export const instanceEntity: Entity<Instance> = {
  name: 'instance',
  tag: 0x04,
  encode(instance) {
    const { owner, isComplete, standard } = instance
    const flags = (owner === null ? 0 : flag.owner) | (isComplete ? flag.complete : 0)
    writer.byte(standardCode(standard) | flags)
    writer.integer(instance.ordinal).integer(instance.ownerAt + 1)
    if (owner !== null) writer.fixed(withoutPrefix(owner))
    writer.integer(instance.unknowns).amount(instance.held)
    writer.amount(instance.holdersXor).integer(instance.knownFrom)
    return writer.integer(instance.observedAt).done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    return {
      standard: standardOfCode(flags & 7),
      isComplete: (flags & flag.complete) !== 0,
      ordinal: reader.integer(),
      ownerAt: reader.integer() - 1,
      owner: flags & flag.owner ? address(`0x${reader.fixed(20)}`) : null,
      unknowns: reader.integer(),
      held: reader.amount(),
      holdersXor: reader.amount(),
      knownFrom: reader.integer(),
      observedAt: reader.integer(),
    }
  },
}
