import { type Address, zeroAddress } from '../../chain/hex.ts'
import { standardAt } from '../lookups.ts'
import type { TransferRow } from '../objects/transfer.ts'
import { type Asset, coin, type Nfts, tokenAmount } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import { joined, type Part, type Reading } from './phrase.ts'

/** An asset of which an account has more or less afterwards. */
export interface Flow {
  readonly asset: Asset
  /** Whom it came from or went to, each once; the zero address of a mint or burn. */
  readonly others: readonly Address[]
}

/** What an account gave and got, net of what came back. */
export interface Flows {
  /** Whether it is the zero address, as of a chain's own transactions: what it gives is minted. */
  readonly isOfNobody: boolean
  readonly paid: readonly Flow[]
  readonly received: readonly Flow[]
}

/**
 * The net flows of an account: coins leave with the call, tokens by their logs. Coins that come
 * in are not here: inner calls are not indexed.
 */
export function flowsOf(account: Address, { transaction, transfers }: ExecutedTransaction): Flows {
  const flows = new Map<Address, TokenFlow>()
  for (const transfer of transfers) {
    if (transfer.from === transfer.to || transfer.value === 0n) continue
    if (transfer.from !== account && transfer.to !== account) continue
    const flow = flows.get(transfer.token) ?? new TokenFlow(transfer)
    flows.set(transfer.token, flow)
    flow.add(transfer, account)
  }
  const paidCoin =
    transaction.value === 0n || transaction.to === account
      ? []
      : [
          {
            asset: coin(transaction.value),
            others: transaction.to === null ? [] : [transaction.to],
          },
        ]
  const all = [...flows.values()]
  return {
    isOfNobody: account === zeroAddress,
    paid: [...paidCoin, ...all.flatMap((flow) => flow.paid)],
    received: all.flatMap((flow) => flow.received),
  }
}

export const isMinted = ({ others }: Flow): boolean => others.every((at) => at === zeroAddress)
export const isBurned = isMinted

/** Transfers of one token to and from an account. */
class TokenFlow {
  private readonly first: TransferRow
  private readonly recipients = new Set<Address>()
  private readonly senders = new Set<Address>()
  /** Null is the fungible part. */
  private readonly net = new Map<bigint | null, bigint>()

  constructor(first: TransferRow) {
    this.first = first
  }

  add({ from, to, tokenId, value }: TransferRow, account: Address): void {
    const before = this.net.get(tokenId) ?? 0n
    if (to === account) {
      this.senders.add(from)
      this.net.set(tokenId, before + value)
    } else {
      this.recipients.add(to)
      this.net.set(tokenId, before - value)
    }
  }

  get paid(): readonly Flow[] {
    return this.assets(-1n).map((asset) => ({ asset, others: [...this.recipients] }))
  }

  get received(): readonly Flow[] {
    return this.assets(1n).map((asset) => ({ asset, others: [...this.senders] }))
  }

  /** @param sign 1 for what the account has more, -1 for what it has less. */
  private assets(sign: 1n | -1n): readonly Asset[] {
    const { token, form } = this.first
    const assets: Asset[] = []
    const items: Nfts['items'][number][] = []
    for (const [tokenId, net] of this.net) {
      const amount = net * sign
      if (amount <= 0n) continue
      if (tokenId === null) assets.push(tokenAmount(token, amount))
      else items.push({ tokenId, amount })
    }
    if (items.length > 0) assets.push({ kind: 'nfts', token, form: standardAt(form), items })
    return assets
  }
}

/** What each account has more or less of fungible tokens after all transfers of a transaction. */
export class NetChanges {
  private readonly byAccount = new Map<Address, Map<Address, bigint>>()

  constructor(transfers: readonly TransferRow[]) {
    for (const { token, tokenId, from, to, value } of transfers) {
      if (tokenId !== null) continue
      this.add(from, token, -value)
      this.add(to, token, value)
    }
  }

  /** Whether no account that gained the token lost another: then it was not exchanged further. */
  isOnlyReceived(token: Address): boolean {
    return this.isOneSided(token, 1n)
  }

  /** Whether all who have less of a token got no other. */
  isOnlyPaid(token: Address): boolean {
    return this.isOneSided(token, -1n)
  }

  private isOneSided(token: Address, sign: 1n | -1n): boolean {
    const accounts = [...this.byAccount.values()].filter(
      (changes) => (changes.get(token) ?? 0n) * sign > 0n,
    )
    const isOpposite = (change: bigint) => change * sign < 0n
    return (
      accounts.length > 0 && !accounts.some((changes) => [...changes.values()].some(isOpposite))
    )
  }

  private add(account: Address, token: Address, change: bigint): void {
    if (account === zeroAddress) return
    const changes = this.byAccount.get(account) ?? new Map<Address, bigint>()
    this.byAccount.set(account, changes)
    changes.set(token, (changes.get(token) ?? 0n) + change)
  }
}

/** Assets that one sentence names. */
const assetsMax = 3

/**
 * What the sender gave and got, without a reason. Movements between others are not described: a
 * token can claim that any address sent it.
 */
export function moveReadings({ paid, received, isOfNobody }: Flows): readonly Reading[] {
  if (paid.length > assetsMax || received.length > assetsMax) return []
  if (received.length === 0) {
    const isOne = paid.length === 1
    const readings = isOne ? paid.flatMap(given) : sentOnly(paid)
    return isOfNobody ? readings.map((reading) => ({ ...reading, verb: 'Minted' })) : readings
  }
  const got = joined(received.map(({ asset }) => asset))
  if (paid.length === 0) {
    return [{ verb: received.every(isMinted) ? 'Minted' : 'Received', parts: got }]
  }
  return [exchangedFor(paid, received)]
}

function exchangedFor(paid: readonly Flow[], received: readonly Flow[]): Reading {
  const verb = received.every(isMinted) && received.some(isNft) ? 'minted' : 'received'
  const gave = joined(
    paid.map(({ asset }) => asset),
    'out_',
  )
  const got = joined(
    received.map(({ asset }) => asset),
    'in_',
  )
  return { verb: 'Sent', parts: [...gave, `and ${verb}`, ...got] }
}

const isNft = ({ asset }: Flow): boolean => asset.kind === 'nfts'

/** Of coins nothing: with a call they are part of it, without one see the transfer of coins. */
function given(flow: Flow): readonly Reading[] {
  const { asset, others } = flow
  if (asset.kind === 'coin') return []
  if (isBurned(flow)) return [{ verb: 'Burned', parts: [{ asset }] }]
  const recipients = others.filter((at) => at !== zeroAddress)
  return [{ verb: 'Transferred', parts: [{ asset }, 'to', ...recipientsPart(recipients)] }]
}

function recipientsPart(recipients: Flow['others']): readonly Part[] {
  const [only, another] = recipients
  if (only === undefined) return []
  if (another === undefined) return [{ address: ['to_address', only] }]
  return [{ text: ['count', `${recipients.length}`] }, 'addresses']
}

const sentOnly = (paid: readonly Flow[]): readonly Reading[] =>
  paid.length === 0 ? [] : [{ verb: 'Sent', parts: joined(paid.map(({ asset }) => asset)) }]
