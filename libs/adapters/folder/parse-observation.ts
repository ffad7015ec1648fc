import { z } from 'zod'
import type { Observation } from '../../chain/block.ts'
import { address, type Hash, hash } from '../../chain/hex.ts'
import { standards } from '../../chain/token.ts'

/**
 * `N.observed.json`: the state after block N, as read from a node. Addresses are hex text of any
 * case; amounts and token ids are decimal strings, 0x-hex strings, or whole JSON numbers below
 * 2^53. `tokenId` is null or absent for an ERC-20 balance and for a collection's count. Every
 * list may be left out. `block` and `hash` are checked where given: `hash` is that of block N,
 * which is the first block's parent hash for a file that stands directly before the first block.
 *
 *     { "block": 17686109, "hash": "0xc0e1...",
 *       "balances": [{ "token": "0xdac1...", "holder": "0x28c6...", "value": "4711" }],
 *       "supplies": [{ "token": "0xdac1...", "value": "39823174209361340" }],
 *       "owners":   [{ "token": "0xbc4c...", "tokenId": "8817", "owner": "0x28c6..." }],
 *       "tokens":   [{ "address": "0xdac1...", "standard": "ERC-20", "name": "Tether USD",
 *                      "symbol": "USDT", "decimals": 6, "totalSupply": "39823174209361340" }] }
 */
const addressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'not an address')
  .transform((text) => address(text))

const hashText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'not a 32-byte hash')
  .transform((text) => hash(text))

const amount = z
  .union([z.string().regex(/^(?:[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/), z.int().nonnegative()], {
    error: 'not an amount (decimal string, 0x-hex string or whole number)',
  })
  .transform((raw) => BigInt(raw))
  .refine((value) => value < 1n << 256n, 'amount above 2^256-1')

const textCharactersMax = 1024
const text = z.string().max(textCharactersMax)

const tokenForm = z.strictObject({
  address: addressText,
  standard: z.enum(standards).nullish(),
  name: text.nullish(),
  symbol: text.nullish(),
  decimals: z.int().min(0).max(255).nullish(),
  totalSupply: amount.nullish(),
})

const observedForm = z.strictObject({
  block: z.int().nonnegative().optional(),
  hash: hashText.optional(),
  balances: z
    .array(
      z.strictObject({
        token: addressText,
        holder: addressText,
        tokenId: amount.nullish(),
        value: amount,
      }),
    )
    .default([]),
  supplies: z.array(z.strictObject({ token: addressText, value: amount })).default([]),
  owners: z
    .array(z.strictObject({ token: addressText, tokenId: amount, owner: addressText }))
    .default([]),
  tokens: z.array(tokenForm).default([]),
})

/** @throws with one sentence if the text is no observation of that block. */
export function parseObservation(raw: unknown, block: number, blockHash: Hash): Observation {
  const read = observedForm.safeParse(raw)
  if (!read.success) {
    const [first] = read.error.issues
    const place = (first?.path ?? []).map(String).join('.')
    throw new Error(`${place ? `${place}: ` : ''}${first?.message ?? 'malformed'}`)
  }
  const form = read.data
  if (form.block !== undefined && form.block !== block) {
    throw new Error(`block is ${form.block}, but the file is named ${block}`)
  }
  if (form.hash !== undefined && form.hash !== blockHash) {
    throw new Error(`hash is ${form.hash}, but block ${block} of the chain is ${blockHash}`)
  }
  return {
    block,
    hash: blockHash,
    balances: form.balances.map((each) => ({ ...each, tokenId: each.tokenId ?? null })),
    supplies: form.supplies,
    owners: form.owners,
    tokens: form.tokens.map((each) => ({
      address: each.address,
      standard: each.standard ?? null,
      name: each.name ?? null,
      symbol: each.symbol ?? null,
      decimals: each.decimals ?? null,
      totalSupply: each.totalSupply ?? null,
      block,
    })),
  }
}
