import type { Address } from '../../chain/hex.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc-schemas.ts'

/** EIP-2028, 2930, 7702, 7623: what a call costs before any code runs. */
const gasOf = {
  transaction: 21_000n,
  zeroByte: 4n,
  byte: 16n,
  /** Before Istanbul. */
  oldByte: 68n,
  listedAddress: 2_400n,
  listedKey: 1_900n,
  authorization: 25_000n,
  floorZeroByte: 10n,
  floorByte: 40n,
} as const

/** Types whose costs these are; chains with types of their own count gas in their own ways. */
const typeMax = 4
/** Below it lie precompiled contracts, which burn gas and have no code. */
const firstAddress = 0x10000n

interface Call {
  readonly transaction: RpcTransaction
  readonly receipt: RpcReceipt
}

/**
 * Recipients whose code ran: a call to no code burns exactly its intrinsic gas, so what burned
 * more, and is none of the exact prices of other times, proves code. In order of appearance.
 */
export function addressesWithCode(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
): readonly Address[] {
  const found = new Set<Address>()
  for (const [at, transaction] of block.transactions.entries()) {
    const receipt = receipts[at]
    const { to } = transaction
    if (to && receipt && !found.has(to) && ranCode({ transaction, receipt })) found.add(to)
  }
  return [...found]
}

function ranCode({ transaction, receipt }: Call): boolean {
  const { to, type, input, accessList, authorizationList } = transaction
  if (!to || (type ?? 0) > typeMax || BigInt(to) < firstAddress) return false
  const { zeros, others } = bytesOf(input)
  const lists =
    gasOf.transaction +
    gasOf.authorization * BigInt(authorizationList?.length ?? 0) +
    (accessList ?? []).reduce(
      (sum, { storageKeys }) =>
        sum + gasOf.listedAddress + gasOf.listedKey * BigInt(storageKeys.length),
      0n,
    )
  const { gasUsed } = receipt
  const floor = gasOf.transaction + gasOf.floorZeroByte * zeros + gasOf.floorByte * others
  const old = lists + gasOf.zeroByte * zeros + gasOf.oldByte * others
  const intrinsic = lists + gasOf.zeroByte * zeros + gasOf.byte * others
  return gasUsed > intrinsic && gasUsed !== floor && gasUsed !== old
}

function bytesOf(input: string): { zeros: bigint; others: bigint } {
  const bytes = (input.length - 2) / 2
  let zeros = 0
  for (let at = 2; at < input.length; at += 2) {
    if (input[at] === '0' && input[at + 1] === '0') zeros++
  }
  return { zeros: BigInt(zeros), others: BigInt(bytes - zeros) }
}
