import { toEventSelector } from 'viem'
import { addressInWord, dataWords, wordOf } from '../../chain/abi-words.ts'
import type { Action } from '../../chain/action.ts'
import type { Address } from '../../chain/hex.ts'
import type { LogRow } from '../objects/log.ts'
import { type Asset, coin, tokenAmount, wrapped } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import type { Flows } from './flows.ts'
import type { Reading } from './phrase.ts'
import { sumOf, type Wrappings, wrappingsIn } from './wraps.ts'

/** Simultaneous actions in one summary, each in a sentence. */
const lendingReadingsMax = 3

/**
 * What the sender supplied, borrowed, repaid, withdrew or staked. A contract's word counts only
 * where the sender gave or got just that amount.
 */
export function lendingReadings({ logs }: ExecutedTransaction, flows: Flows): readonly Reading[] {
  const wrappings = wrappingsIn(logs)
  const readings: Reading[] = []
  for (const log of logs) {
    const event = lendingEvent(log)
    if (event === null || event.amount === 0n) continue
    const asset = event.isPaid ? paidAsset(event, flows) : receivedAsset(event, flows, wrappings)
    if (asset !== null) readings.push(reading(event, asset))
    if (readings.length === lendingReadingsMax) break
  }
  return readings
}

const reading = ({ verb, preposition, contract }: LendingEvent, asset: Asset): Reading => ({
  verb,
  parts: [{ asset }, preposition, { address: ['contract', contract] }],
})

function paidAsset({ contract, token, amount }: LendingEvent, { paid }: Flows): Asset | null {
  const flow = paid.find(({ asset, others }) => {
    if (asset.kind === 'coin') return asset.amount === amount
    if (asset.kind !== 'tokens' || asset.amount !== amount) return false
    return token === null ? others.includes(contract) : asset.token === token
  })
  return flow?.asset.kind === 'coin' ? coin(amount) : (flow?.asset ?? null)
}

function receivedAsset(
  { contract, token, amount }: LendingEvent,
  { received }: Flows,
  { unwrapped }: Wrappings,
): Asset | null {
  const flow = received.find(
    ({ asset, others }) =>
      asset.kind === 'tokens' &&
      asset.amount === amount &&
      (token === null ? others.includes(contract) : asset.token === token),
  )
  if (flow !== undefined) return flow.asset
  const isUnwrapped = token !== null && sumOf(unwrapped, token) === amount
  return isUnwrapped && received.length === 0 ? wrapped(token, amount) : null
}

/** A loan that was paid back for its collateral, where transfers bear the amounts out. */
export function liquidationReadings(
  { transfers }: ExecutedTransaction,
  actions: readonly Action[],
): readonly Reading[] {
  const moved = new Set(transfers.map(({ token, value }) => `${token} ${value}`))
  const amounts = new Set(transfers.map(({ value }) => value))
  return actions.flatMap(({ type, sums: [debt, collateral] }): readonly Reading[] => {
    if (type !== 'liquidation_call' || debt === undefined || collateral === undefined) return []
    // The collateral may be handed over as the market's own token.
    if (!moved.has(`${debt.token} ${debt.amount}`) || !amounts.has(collateral.amount)) return []
    return [
      {
        verb: 'Liquidated',
        parts: [
          'a loan: repaid',
          { asset: tokenAmount(debt.token, debt.amount), prefix: 'debt_' },
          'for',
          { asset: tokenAmount(collateral.token, collateral.amount), prefix: 'collateral_' },
        ],
      },
    ]
  })
}

/** A deposit to or a withdrawal from a lending contract, decoded from its event. */
interface LendingEvent {
  readonly contract: Address
  readonly verb: string
  readonly preposition: 'on' | 'from' | 'in'
  /** Whether the sender's side of it is an amount that it pays. */
  readonly isPaid: boolean
  /** Null if the event does not contain it. */
  readonly token: Address | null
  readonly amount: bigint
}

interface Form {
  /** How many there must be, the signature's among them: others index other parameters. */
  readonly topics: number
  readonly words: number
  readonly verb: LendingEvent['verb']
  readonly preposition: LendingEvent['preposition']
  readonly isPaid: boolean
  /** The topic that holds the token; null if none does. */
  readonly tokenTopic: number | null
  readonly amountWord: number
}

const paid = { isPaid: true, preposition: 'on' } as const
const received = { isPaid: false, preposition: 'on' } as const
const supplied = { verb: 'Supplied', ...paid } as const
const borrowed = { verb: 'Borrowed', ...received } as const
const repaid = { verb: 'Repaid', ...paid } as const
const withdrew = { verb: 'Withdrew', ...received, preposition: 'from' } as const
const deposited = { verb: 'Deposited', ...paid, preposition: 'in' } as const
const staked = { verb: 'Staked', ...paid, preposition: 'in' } as const
const reserve = { tokenTopic: 1 } as const
const untold = { tokenTopic: null } as const

/** Own words for the events of lending markets, of vaults and of stakes. */
const signatures: readonly (readonly [signature: string, Form])[] = [
  [
    'Deposit(address,address,address,uint256,uint16)',
    { topics: 4, words: 2, amountWord: 1, ...supplied, ...reserve },
  ],
  [
    'Supply(address,address,address,uint256,uint16)',
    { topics: 4, words: 2, amountWord: 1, ...supplied, ...reserve },
  ],
  [
    'Borrow(address,address,address,uint256,uint256,uint256,uint16)',
    { topics: 4, words: 4, amountWord: 1, ...borrowed, ...reserve },
  ],
  [
    'Borrow(address,address,address,uint256,uint8,uint256,uint16)',
    { topics: 4, words: 4, amountWord: 1, ...borrowed, ...reserve },
  ],
  [
    'Repay(address,address,address,uint256)',
    { topics: 4, words: 1, amountWord: 0, ...repaid, ...reserve },
  ],
  [
    'Repay(address,address,address,uint256,bool)',
    { topics: 4, words: 2, amountWord: 0, ...repaid, ...reserve },
  ],
  [
    'Withdraw(address,address,address,uint256)',
    { topics: 4, words: 1, amountWord: 0, ...withdrew, ...reserve },
  ],

  // Markets of one token each, which is the emitter's own business.
  ['Mint(address,uint256,uint256)', { topics: 1, words: 3, amountWord: 1, ...supplied, ...untold }],
  [
    'Redeem(address,uint256,uint256)',
    { topics: 1, words: 3, amountWord: 1, ...withdrew, ...untold },
  ],
  [
    'Borrow(address,uint256,uint256,uint256)',
    { topics: 1, words: 4, amountWord: 1, ...borrowed, ...untold },
  ],
  [
    'RepayBorrow(address,address,uint256,uint256,uint256)',
    { topics: 1, words: 5, amountWord: 2, ...repaid, ...untold },
  ],
  [
    'Supply(address,address,uint256)',
    { topics: 3, words: 1, amountWord: 0, ...supplied, ...untold },
  ],
  [
    'Withdraw(address,address,uint256)',
    { topics: 3, words: 1, amountWord: 0, ...withdrew, ...untold },
  ],
  [
    'SupplyCollateral(address,address,address,uint256)',
    { topics: 4, words: 1, amountWord: 0, ...supplied, tokenTopic: 3 },
  ],
  [
    'WithdrawCollateral(address,address,address,uint256)',
    { topics: 4, words: 1, amountWord: 0, ...withdrew, tokenTopic: 3 },
  ],

  // Vaults and stakes.
  [
    'Deposit(address,address,uint256,uint256)',
    { topics: 3, words: 2, amountWord: 0, ...deposited, ...untold },
  ],
  [
    'Withdraw(address,address,address,uint256,uint256)',
    { topics: 4, words: 2, amountWord: 0, ...withdrew, ...untold },
  ],
  [
    'Deposit(address,uint256,uint256)',
    { topics: 3, words: 1, amountWord: 0, ...deposited, ...untold },
  ],
  [
    'Withdraw(address,uint256,uint256)',
    { topics: 3, words: 1, amountWord: 0, ...withdrew, ...untold },
  ],
  ['Staked(address,uint256)', { topics: 2, words: 1, amountWord: 0, ...staked, ...untold }],
  ['Withdrawn(address,uint256)', { topics: 2, words: 1, amountWord: 0, ...withdrew, ...untold }],
]

const forms: ReadonlyMap<string, Form> = new Map(
  signatures.map(([signature, form]) => [toEventSelector(signature), form]),
)

/** Decodes a log of lending; null for any other, and for a malformed one. */
function lendingEvent({ address, topics, data }: LogRow): LendingEvent | null {
  const form = forms.get(topics[0] ?? '')
  if (form === undefined || topics.length !== form.topics) return null
  if (dataWords(data) !== form.words) return null
  const { verb, preposition, isPaid, tokenTopic, amountWord } = form
  const token = tokenTopic === null ? null : addressInWord(topics[tokenTopic])
  if (tokenTopic !== null && token === null) return null
  const amount = BigInt(wordOf(data, amountWord))
  return { contract: address, verb, preposition, isPaid, token, amount }
}
