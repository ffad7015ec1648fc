import type { ContractAnswer, NodeReader } from '../../../../libs/adapters/rpc/node-reader.ts'
import type { Address } from '../../../../libs/chain/hex.ts'
import type { Standard } from '../../../../libs/chain/token.ts'
import {
  addressOf,
  balanceCall,
  isErc721Call,
  isTrue,
  itemBalanceCall,
  ownerCall,
  uintOf,
} from './contract-calls.ts'
import { type CheckedKind, type Finding, type Judged, judgedValue } from './finding.ts'
import { answersAt, type ShownPage } from './witnesses.ts'

/** What Foldscan shows, or does not show, that an address holds of a token. */
export interface ShownHolding {
  readonly kind: CheckedKind
  readonly field: string
  readonly token: Address
  readonly standard: Standard
  readonly holder: Address
  /** Null for an amount, and for the number of ids of an ERC-721. */
  readonly tokenId: bigint | null
  /** Null if it is not in a list in which it would be. */
  readonly value: bigint | null
  /** Whether Foldscan says that it knows all balances of the token. */
  readonly isComplete: boolean
}

/** Asks the contracts the same, in the state after the block of the page. @throws as `answersAt` */
export async function heldAt(
  node: NodeReader,
  page: ShownPage<unknown>,
  holdings: readonly ShownHolding[],
): Promise<readonly Finding[]> {
  const answers = await answersAt(node, page, holdings.map(callOf))
  const strict = await strictCollections(node, page, withoutOwner(holdings, answers))
  return holdings.flatMap((holding, at) => {
    const found = judgedHolding(holding, answers[at], strict.has(holding.token))
    if (found === null) return []
    const { kind, standard, field } = holding
    return [{ kind, standard, field, path: page.path, block: page.block, ...found }]
  })
}

const isId = ({ tokenId, standard }: ShownHolding): boolean =>
  tokenId !== null && standard !== 'ERC-1155'

function callOf(holding: ShownHolding) {
  const { token, holder, tokenId } = holding
  if (tokenId === null) return balanceCall(token, holder)
  return isId(holding) ? ownerCall(token, tokenId) : itemBalanceCall(token, holder, tokenId)
}

const withoutOwner = (holdings: readonly ShownHolding[], answers: readonly ContractAnswer[]) =>
  holdings.filter((holding, at) => isId(holding) && answers[at] === 'reverted')

/** Collections among them in which a call for an owner fails only where there is none. */
async function strictCollections(
  node: NodeReader,
  page: ShownPage<unknown>,
  holdings: readonly ShownHolding[],
): Promise<ReadonlySet<Address>> {
  const tokens = [...new Set(holdings.map(({ token }) => token))]
  const answers = await answersAt(node, page, tokens.map(isErc721Call))
  return new Set(tokens.filter((_, at) => isTrue(answers[at])))
}

/** Null where neither side has a value. */
function judgedHolding(
  holding: ShownHolding,
  answer: ContractAnswer | undefined,
  isStrict: boolean,
): Judged | null {
  const judge = isId(holding) ? judgedOwner(holding, ownerOf(answer, isStrict)) : null
  return judge ?? (isId(holding) ? null : judgedAmount(holding, uintOf(answer)))
}

const nobody = 'no owner'

function ownerOf(answer: ContractAnswer | undefined, isStrict: boolean): string | null {
  if (answer === 'reverted') return isStrict ? nobody : null
  const owner = addressOf(answer)
  return owner !== null && /^0x0{40}$/.test(owner) ? nobody : owner
}

function judgedOwner(
  { holder, value, isComplete }: ShownHolding,
  owner: string | null,
): Judged | null {
  if (value !== null) return judgedValue(holder, owner)
  if (owner === null) return null
  if (owner !== holder) return { shown: null, told: owner, outcome: 'equal' }
  return judgedValue(null, owner, { isPromised: isComplete })
}

function judgedAmount(holding: ShownHolding, told: bigint | null): Judged | null {
  const { value, standard, tokenId, isComplete } = holding
  if (value === null) {
    if (told === null) return null
    if (told === 0n) return { shown: null, told: '0', outcome: 'equal' }
    return judgedValue(null, `${told}`, { isPromised: isComplete })
  }
  // Of an ERC-721 it is the number of ids whose owner is known (decision 37).
  const isPart = standard === 'ERC-721' && tokenId === null && told !== null && value < told
  if (isPart && !isComplete) return { shown: `${value}`, told: `${told}`, outcome: 'unknown' }
  return judgedValue(`${value}`, told === null ? null : `${told}`)
}
