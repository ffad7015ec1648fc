import { type Address, zeroAddress } from '../../chain/hex.ts'
import { standardAt } from '../lookups.ts'
import type { TransferRow } from '../transfer.ts'
import { type Asset, coin, type Nfts, tokens } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'

/** An asset of which an account has more or less afterwards. */
export interface Flow {
  readonly asset: Asset
  /** Whom it came from or went to, each once; the zero address of a mint or burn. */
  readonly others: readonly Address[]
}

/** What an account gave and got, net of what came back. */
export interface Flows {
  readonly paid: readonly Flow[]
  readonly received: readonly Flow[]
}

/**
 * The net flows of an account: coins go out with the call, tokens as the logs say. Coins that come
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
      if (tokenId === null) assets.push(tokens(token, amount))
      else items.push({ tokenId, amount })
    }
    if (items.length > 0) assets.push({ kind: 'nfts', token, form: standardAt(form), items })
    return assets
  }
}
