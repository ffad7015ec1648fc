import { getAddress } from 'viem'
import type { Address } from '../chain/hex.ts'

/** EIP-55 form, the only one that bodies show. The library keeps the last 8,192 of them. */
export const checksum = (address: Address): string => getAddress(address)
