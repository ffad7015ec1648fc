import type { Block } from './block.ts'
import { type Address, address } from './hex.ts'

/** Emits the logs of the coin's transfers and burns (EIP-7708); no contract can be there. */
const systemAddress: Address = address('0xfffffffffffffffffffffffffffffffffffffffe')

/** Used by blocks that name no emitters, older ones of the log among them. */
export const defaultCoinEmitters: readonly Address[] = [systemAddress]

/** Emitters that a block can name. */
export const coinEmittersMax = 16

const ofDefault: ReadonlySet<Address> = new Set(defaultCoinEmitters)

/** Addresses whose logs are the coin's own, and no token's (decision 63). */
export const coinEmittersOf = ({
  coinEmitters,
}: Pick<Block, 'coinEmitters'>): ReadonlySet<Address> =>
  coinEmitters === undefined ? ofDefault : new Set(coinEmitters)
