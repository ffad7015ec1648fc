import { decodeAbiParameters, keccak256, parseAbiParameters, toHex } from 'viem'
import type { TransactionLog } from '../../../../libs/chain/block.ts'
import { type Address, address, type Hash, type Hex, hash } from '../../../../libs/chain/hex.ts'
import type { TransferForm } from '../../../../libs/chain/token.ts'

/** The transfers of a log, item by item; `place` is the index in its batch. */
export interface LogTransfer {
  readonly form: TransferForm
  readonly from: Address
  readonly to: Address
  /** Null for the ERC-20 form. */
  readonly tokenId: bigint | null
  readonly value: bigint
  readonly place: number
  /** One of several ids in a row (EIP-2309). */
  readonly isOfRange?: boolean
}

const transfer = hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const single = hash('0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62')
const batch = hash('0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb')

const consecutive = hash(keccak256(toHex('ConsecutiveTransfer(uint256,uint256,address,address)')))

/**
 * Decisions 32 and 62, by a decoder that is not the product's. Whatever cannot be decoded is no
 * transfer.
 */
export function transfersOfLog({ topics, data }: TransactionLog): LogTransfer[] {
  try {
    const [first, ...rest] = topics
    if (first === transfer) return transfersOfTransfer(rest, data)
    if (first === single && rest.length === 3) {
      const [tokenId, value] = decodeAbiParameters(parseAbiParameters('uint256, uint256'), data)
      return [{ form: 'ERC-1155', ...endsOf(rest.slice(1), rest[0]), tokenId, value, place: 0 }]
    }
    if (first === batch && rest.length === 3) {
      return transfersOfBatch(endsOf(rest.slice(1), rest[0]), data)
    }
    if (first === consecutive && rest.length === 3) return transfersOfRange(rest, data)
    return []
  } catch {
    return []
  }
}

function transfersOfTransfer(rest: readonly Hash[], data: Hex): LogTransfer[] {
  if (rest.length === 2) {
    const [value] = decodeAbiParameters(parseAbiParameters('uint256'), data)
    return [{ form: 'ERC-20', ...endsOf(rest), tokenId: null, value, place: 0 }]
  }
  if (rest.length === 3) {
    const tokenId = BigInt(rest[2] ?? '')
    return [{ form: 'ERC-721', ...endsOf(rest), tokenId, value: 1n, place: 0 }]
  }
  if (rest.length === 0 && data.length === 2 + 3 * 64) {
    const [from, to, id] = [0, 1, 2].map((n) => `0x${data.slice(2 + 64 * n, 66 + 64 * n)}`)
    return [
      {
        form: 'ERC-721',
        from: addressOf(from),
        to: addressOf(to),
        tokenId: BigInt(id ?? ''),
        value: 1n,
        place: 0,
      },
    ]
  }
  return []
}

/** Decision 62: each id of a range of at most 10,000 is a transfer of its own. */
function transfersOfRange([start, from, to]: readonly Hash[], data: Hex): LogTransfer[] {
  const first = BigInt(start ?? '')
  const [last] = decodeAbiParameters(parseAbiParameters('uint256'), data)
  const ends = { from: addressOf(from), to: addressOf(to) }
  if (last < first || last - first >= 10_000n) return []
  return Array.from({ length: Number(last - first) + 1 }, (_, place) => ({
    form: 'ERC-721',
    ...ends,
    tokenId: first + BigInt(place),
    value: 1n,
    place,
    isOfRange: last > first,
  }))
}

/** Decisions 22 and 34: equal ids are one item, with their sum and the lowest place. */
function transfersOfBatch(ends: { from: Address; to: Address }, data: Hex): LogTransfer[] {
  const [ids, values] = decodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), data)
  if (ids.length !== values.length) return []
  const items = new Map<bigint, LogTransfer>()
  for (const [place, tokenId] of ids.entries()) {
    const known = items.get(tokenId)
    const value = (known?.value ?? 0n) + (values[place] ?? 0n)
    items.set(tokenId, { form: 'ERC-1155', ...ends, tokenId, value, place: known?.place ?? place })
  }
  return [...items.values()]
}

/** The first two words are sender and recipient; all words given must be addresses. */
function endsOf(words: readonly Hash[], operator?: Hash): { from: Address; to: Address } {
  if (operator !== undefined) addressOf(operator)
  return { from: addressOf(words[0]), to: addressOf(words[1]) }
}

/** @throws if anything stands in the upper 12 bytes. */
function addressOf(word: string | undefined): Address {
  if (!word?.startsWith(`0x${'00'.repeat(12)}`)) throw new Error('not an address word')
  return address(`0x${word.slice(26)}`)
}
