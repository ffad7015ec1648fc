import { type Address, address, withoutPrefix } from '../../chain/hex.ts'
import type { Transfer, TransferForm } from '../../chain/token.ts'
import type { Entity } from '../group.ts'
import { BinaryReader, writer } from './binary.ts'
import { standardCode, standardOfCode } from './token.ts'

/** Transfers of one token that are kept; a token with more of them can only become unknown. */
export const earlyTransfersMax = 1_000

/**
 * A transfer that was folded before the log said anything of its token: it is folded again if the
 * contract turns out to be of another standard. Its id: the 40 digits of the token, 16 of its
 * number among the token's.
 */
export interface EarlyTransfer {
  readonly form: TransferForm
  readonly from: Address
  readonly to: Address
  readonly tokenId: bigint | null
  readonly value: bigint
  readonly batchSize: number
  readonly block: number
}

const counterDigits = 16

export const earlyTransferId = (token: Address, number: number): string =>
  withoutPrefix(token) + number.toString(16).padStart(counterDigits, '0')

export const earlyTransferOf = (transfer: Transfer, block: number): EarlyTransfer => {
  const { form, from, to, tokenId, value, batchSize } = transfer
  return { form, from, to, tokenId, value, batchSize, block }
}

const flag = { tokenId: 8 } as const

function formOf(code: number): TransferForm {
  const form = standardOfCode(code)
  if (form === null || form === 'ERC-404') throw new Error(`no form of a transfer has code ${code}`)
  return form
}

export const earlyTransferEntity: Entity<EarlyTransfer> = {
  name: 'early-transfer',
  tag: 0x09,
  encode({ form, from, to, tokenId, value, batchSize, block }) {
    writer.byte(standardCode(form) | (tokenId === null ? 0 : flag.tokenId))
    writer.fixed(withoutPrefix(from)).fixed(withoutPrefix(to))
    writer.amount(value).integer(batchSize).integer(block)
    if (tokenId !== null) writer.amount(tokenId)
    return writer.done()
  },
  decode(bytes) {
    const reader = new BinaryReader(bytes)
    const flags = reader.byte()
    return {
      form: formOf(flags & 7),
      from: address(`0x${reader.fixed(20)}`),
      to: address(`0x${reader.fixed(20)}`),
      value: reader.amount(),
      batchSize: reader.integer(),
      block: reader.integer(),
      tokenId: flags & flag.tokenId ? reader.amount() : null,
    }
  },
}
