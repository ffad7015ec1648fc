import { type Hex, keccak256, toRlp } from 'viem'
import { z } from 'zod'

/** The header's fields in the order in which they are hashed, up to the Merge's last. */
const always = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
] as const

/** Each fork added fields at the end; a header has a prefix of these. */
const added = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const

const quantities: ReadonlySet<string> = new Set([
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
])

/** Fields of the answer that are no part of the header. */
const besides: ReadonlySet<string> = new Set([
  'hash',
  'size',
  'totalDifficulty',
  'transactions',
  'uncles',
  'withdrawals',
])

const hexForm = z.string().regex(/^0x[0-9a-fA-F]*$/)
const headerForm = z.record(z.string(), z.unknown())

export type HeaderHash =
  | { readonly known: true; readonly hash: Hex; readonly surplus: readonly string[] }
  | { readonly known: false; readonly missing: readonly string[] }

/**
 * The hash of a header as a node tells it. Not known where the node leaves out fields;
 * `surplus` names fields that we do not know, which may belong into another chain's header.
 */
export function headerHash(header: unknown): HeaderHash {
  const fields = headerForm.parse(header)
  const has = (name: string) => fields[name] !== undefined && fields[name] !== null
  const last = added.findLastIndex(has)
  const names: readonly string[] = [...always, ...added.slice(0, last + 1)]
  const missing = names.filter((name) => !has(name))
  if (missing.length > 0) return { known: false, missing }
  const items = names.map((name) => rlpItem(name, hexForm.parse(fields[name])))
  const surplus = Object.keys(fields).filter((name) => !besides.has(name) && !names.includes(name))
  return { known: true, hash: keccak256(toRlp(items)), surplus: surplus.filter(has) }
}

/** Quantities are hashed without leading zeros, zero as nothing; the rest as it stands. */
function rlpItem(name: string, text: string): Hex {
  if (!quantities.has(name)) return `0x${text.slice(2).toLowerCase()}`
  const digits = text.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
