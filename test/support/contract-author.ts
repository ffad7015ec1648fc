import { toFunctionSelector } from 'viem'
import { z } from 'zod'
import type { RpcCall } from '../../libs/adapters/rpc/transport/rpc-transport.ts'
import { type Address, address } from '../../libs/chain/hex.ts'
import type { NodeOfValues, Spoil } from './node-of-values.ts'

/** What the author of a contract can bring a node to answer to one `eth_call`. */
export type AuthoredAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** The node answers the rest of the batch without it. */
  | { readonly missing: true }
  /** The whole request fails: a time-out, too many bytes, a connection that ends. */
  | { readonly fault: Error }

/** Undefined where the contract is not the author's: an honest token answers. */
export type Author = (to: Address, data: string) => AuthoredAnswer | undefined

const callForm = z.object({ to: z.string().transform(address), data: z.string() })

const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const text = (said: string): string =>
  `0x${word(32n)}${word(BigInt(said.length))}${Buffer.from(said).toString('hex').padEnd(64, '0')}`

const honestAnswers = new Map<string, string>([
  [toFunctionSelector('name()'), text('Honest')],
  [toFunctionSelector('symbol()'), text('HON')],
  [toFunctionSelector('decimals()'), `0x${word(6n)}`],
  [toFunctionSelector('totalSupply()'), `0x${word(1_000n)}`],
  [toFunctionSelector('balanceOf(address)'), `0x${word(500n)}`],
])
const reverted = { code: 3, message: 'execution reverted', data: '0x' }

/** A node whose contracts are written by somebody: it answers all but `eth_call` as it should. */
export const authored =
  (node: NodeOfValues, author: Author): Spoil =>
  (calls, ids) =>
    calls.flatMap((call, at): object[] => {
      if (call.method !== 'eth_call') return node.answers([call], [ids[at] ?? 0])
      const { to, data } = calledBy(call)
      const honest = honestAnswers.get(data.slice(0, 10))
      const answer = author(to, data) ?? (honest ? { result: honest } : { error: reverted })
      if ('fault' in answer) throw answer.fault
      return 'missing' in answer ? [] : [{ id: ids[at], ...answer }]
    })

const calledBy = ({ params }: RpcCall) => callForm.parse(params[0])
