import { compiled } from '../support/compiled.ts'
import type { AnvilChain } from './anvil-chain.ts'

const source = new URL('odd-tokens.sol', import.meta.url)

export const odd = compiled(source, 'Odd')
const ids = compiled(source, 'OddIds')
const doubled = compiled(source, 'Doubled')
const proxy = compiled(source, 'Proxy')

const kinds = {
  ...{ plain: 0, fee: 1, loggedRebase: 2, oldWrapped: 3, newWrapped: 4, loggedFee: 5 },
} as const

/** Explained by its transfers, but for what `holders` have from its constructor. */
export const plainToken = (holders: readonly string[] = []) => odd.creation([kinds.plain, holders])

/** Ids of a collection. */
export const idsOfCollection = [0n, 1n, 2n, 3n, 4n, 5n] as const

const createGas = 8_000_000

export interface OddToken {
  readonly name: string
  readonly at: string
  readonly isCollection: boolean
  /** What may be called of it, besides `transfer`. */
  readonly methods: readonly Method[]
}

interface Call {
  readonly from: string
  readonly to: string
  readonly value: bigint
}

type Sending = (node: AnvilChain, at: string, call: Call) => Promise<void>

const sending =
  (method: string, argsOf: (call: Call) => readonly unknown[], isPaid = false): Sending =>
  (node, at, call) => {
    const value = `0x${(isPaid ? call.value : 0n).toString(16)}`
    const { from } = call
    return node.sendRaw({ to: at, from, data: callOf(method, argsOf(call)), value })
  }

/** The contracts have the same methods. */
const callOf = (method: string, args: readonly unknown[]) =>
  (method === 'upgradeTo' ? proxy : method === 'seize' ? ids : odd).call(method, args)

const toWithValue = ({ to, value }: Call) => [to, value]
const valueOnly = ({ value }: Call) => [value]
const nothing = () => []

/** How each is called. */
const methods = {
  transfer: sending('transfer', toWithValue),
  mint: sending('mint', toWithValue),
  mintInSilence: sending('mintInSilence', toWithValue),
  burnInSilence: sending('burnInSilence', valueOnly),
  rebase: sending('rebase', nothing),
  lie: sending('lie', toWithValue),
  seize: sending('seize', toWithValue),
  pause: sending('pause', nothing),
  deposit: sending('deposit', nothing, true),
  withdraw: sending('withdraw', valueOnly),
  upgradeTo: sending('upgradeTo', ({ to }) => [to]),
} satisfies Record<string, Sending>

export type Method = keyof typeof methods

/** Not mined. */
export const send = (node: AnvilChain, at: string, call: Call & { readonly method: Method }) =>
  methods[call.method](node, at, call)

/** Deploys one of each, with the first two of `people` as holders that no log tells. */
export async function createAll(
  node: AnvilChain,
  people: readonly string[],
): Promise<{ readonly tokens: readonly OddToken[]; readonly implementations: readonly string[] }> {
  const some = people.slice(0, 2)
  const tokens: OddToken[] = []
  const put = async (name: string, data: string, called: readonly Method[]) => {
    const at = await node.create(data, createGas)
    tokens.push({ name, at, isCollection: /ids/i.test(name), methods: called })
  }
  const ofKind = (kind: keyof typeof kinds) => odd.creation([kinds[kind], []])
  await put('plain', plainToken(), ['mint'])
  await put('allocated', plainToken(some), ['mint'])
  await put('fee', ofKind('fee'), ['mint'])
  await put('rebase', plainToken(), ['mint', 'rebase'])
  await put('loggedRebase', ofKind('loggedRebase'), ['mint', 'rebase'])
  await put('silent', plainToken(), ['mint', 'mintInSilence', 'burnInSilence'])
  await put('oldWrapped', ofKind('oldWrapped'), ['deposit', 'withdraw'])
  await put('newWrapped', ofKind('newWrapped'), ['deposit', 'withdraw'])
  await put('loggedFee', ofKind('loggedFee'), ['mint'])
  await put('lying', plainToken(), ['mint', 'lie'])
  await put('paused', plainToken(), ['mint', 'mintInSilence', 'pause'])
  await put('destroyed', plainToken(), ['mint'])
  const implementations = [
    await node.create(plainToken(), createGas),
    await node.create(doubled.creation([]), createGas),
  ]
  await put('upgraded', proxy.creation([implementations[0]]), ['mint', 'upgradeTo'])
  await put('ids', ids.creation([false, some[0]]), ['transfer'])
  await put('idsInData', ids.creation([true, some[0]]), ['transfer'])
  await put('seizedIds', ids.creation([false, some[0]]), ['transfer', 'seize'])
  await put('lyingIds', ids.creation([true, some[0]]), ['transfer', 'lie'])
  return { tokens, implementations }
}

export const ownerCall = (id: bigint): string => ids.call('ownerOf', [id])
