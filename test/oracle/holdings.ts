import { keccak256, toHex } from 'viem'
import { type Address, address, zeroAddress } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { BlockApplied, StateObserved } from '../../libs/topics/blocks.ts'
import type { CanonicalMessage } from './canonical.ts'
import { contentsOf, type IncludedTransfer } from './chain-contents.ts'
import type { Doubts } from './doubts.ts'
import { type OracleToken, readBy } from './tokens.ts'

/** What a holder has of a token, or of one id of it. */
export interface Holding {
  readonly token: Address
  readonly holder: Address
  /** Null: ERC-20, the count of a collection, the fungible part of ERC-404. */
  readonly tokenId: bigint | null
  value: bigint
  isKnown: boolean
  /** The block of the last change or observation; -1 before. */
  asOf: number
  /** Transfers did not explain it once. */
  deviates: boolean
  /** The block after which it was observed while its token was in doubt; else 0. */
  observedAt: number
}

export interface Ownership {
  readonly token: Address
  readonly tokenId: bigint
  readonly owner: Address
  /** The block of the last change or observation. */
  readonly asOf: number
  readonly observedAt: number
}

export interface Holdings {
  /** Known ones above zero; the sum of transfers, or what a node reported. */
  readonly balances: readonly Holding[]
  /** Of ERC-721 and ERC-404 ids, after their last transfer; burned ones are not here. */
  readonly owners: readonly Ownership[]
}

interface Books {
  readonly balances: Map<string, Holding>
  readonly owners: Map<string, Ownership>
  readonly isComplete: (token: Address) => boolean
  readonly doubts: Doubts
  /** The newest block that was observed before the log had any; -1 without. */
  readonly observedFirst: number
}

/** What one message made of the balances. */
export interface Settled {
  /** All of them, known or not. */
  readonly balances: readonly Holding[]
  /** Tokens with a balance that transfers do not explain, or that became impossible. */
  readonly deviating: ReadonlySet<Address>
}

/**
 * Decisions 23, 35, 36, 48: amounts and owners after all messages, straight from the transfers.
 * @param onSettled called after each message.
 */
export function holdingsOf(
  messages: readonly CanonicalMessage[],
  { tokens, doubts, isComplete }: KnownTokens,
  onSettled: (message: CanonicalMessage, settled: Settled) => void,
): Holdings {
  const ofLog = { gapEnd: -1 }
  const blocksBegin = messages.findIndex(({ kind }) => kind === 'block.applied')
  const early = messages.slice(0, Math.max(0, blocksBegin))
  const books: Books = {
    balances: new Map(),
    owners: new Map(),
    isComplete: (token) => isComplete(token, ofLog.gapEnd),
    doubts,
    observedFirst: Math.max(
      -1,
      ...early.map((one) => (one.kind === 'state.observed' ? one.block : -1)),
    ),
  }
  for (const [at, message] of messages.entries()) {
    let deviating: ReadonlySet<Address> = new Set()
    const standardOf = (token: Address) => {
      const known = tokens.get(token)
      return known && known.knownAt <= at ? known.standard : null
    }
    doubts.begin(message.kind === 'block.applied' ? message : undefined)
    switch (message.kind) {
      case 'gap.declared':
        ofLog.gapEnd = message.to
        books.owners.clear()
        for (const holding of books.balances.values()) holding.isKnown = false
        break
      case 'state.observed':
        observe(books, message, standardOf)
        break
      case 'block.applied':
        deviating = settle(books, message, {
          standardOf,
          read: (one) => readBy(one, tokens.get(one.log.address)),
        })
    }
    onSettled(message, { balances: [...books.balances.values()], deviating })
  }
  const isThere = (one: Holding) =>
    one.holder !== zeroAddress && one.isKnown && one.value > 0n && doubts.shows(one)
  return {
    balances: [...books.balances.values()].filter(isThere),
    owners: [...books.owners.values()].filter(
      (one) => one.owner !== zeroAddress && doubts.shows(one),
    ),
  }
}

interface KnownTokens {
  readonly tokens: ReadonlyMap<Address, OracleToken>
  readonly doubts: Doubts
  /** @param gapEnd of the log so far */
  readonly isComplete: (token: Address, gapEnd: number) => boolean
}

/** What a node reported applies, unless the log has changed it since. */
function observe(
  books: Books,
  { block, owners, balances }: StateObserved,
  standardOf: (token: Address) => Standard | null,
): void {
  const { doubts } = books
  for (const { token, tokenId, owner } of owners) {
    own(books, { token, tokenId, owner, asOf: block, observedAt: doubts.observedAt(token, block) })
  }
  for (const { token, holder, tokenId, value } of balances) {
    if (holder === zeroAddress) continue
    const holding = balanceOf(books, { token, holder, tokenId })
    if (block < holding.asOf) continue
    const standard = standardOf(token)
    const hasPart = standard === 'ERC-404' ? tokenId === null : isPart(standard, tokenId)
    const isCollection = standard === 'ERC-721'
    if (hasPart) doubts.observed(holding, { value, block, isCollection })
    const observedAt = doubts.observedAt(token, block)
    Object.assign(holding, { value, isKnown: true, asOf: block, observedAt })
  }
}

const isPart = (standard: Standard | null, tokenId: bigint | null): boolean =>
  standard !== null && (tokenId !== null) === (standard === 'ERC-1155')
interface Standing {
  readonly standardOf: (token: Address) => Standard | null
  readonly read: (transfer: IncludedTransfer) => IncludedTransfer
}

/** A balance that is below zero at the end of a block deviates: unknown until observed. */
function settle(
  books: Books,
  message: BlockApplied,
  { standardOf, read }: Standing,
): ReadonlySet<Address> {
  const asOf = message.block.number
  const moved = new Map<Holding, bigint>()
  const move = (holding: Holding, delta: bigint) =>
    moved.set(holding, (moved.get(holding) ?? 0n) + delta)
  const deviating = new Set<Holding>()
  const tokens = new Set<Address>()
  for (const { form, from, to, value, tokenId, log } of contentsOf([message], read).transfers) {
    const token = log.address
    const effect = effectOf(form, standardOf(token))
    if (effect.changesOwner && tokenId !== null) {
      const isCounted = standardOf(token) === 'ERC-721'
      const wrong = isCounted ? endsInSilence(books, { token, tokenId, from, asOf }) : []
      for (const [at, holder] of wrong.entries()) {
        const holding = balanceOf(books, { token, holder, tokenId: null })
        const { owner = zeroAddress } = books.owners.get(`${token} ${tokenId}`) ?? {}
        if (at === 0 && owner === zeroAddress) books.doubts.deviates(holding, asOf)
        if (at === 0 && owner !== zeroAddress) books.doubts.deviatesAgain(holding, asOf)
        deviating.add(holding)
        tokens.add(token)
      }
      own(books, { token, tokenId, owner: to, asOf, observedAt: 0 })
    }
    if (!effect.movesAmount) continue
    const id = effect.ofId ? tokenId : null
    move(balanceOf(books, { token, holder: from, tokenId: id }), -value)
    move(balanceOf(books, { token, holder: to, tokenId: id }), value)
  }
  for (const { token, holder } of wrappingsOf(message)) {
    if (standardOf(token) !== null && standardOf(token) !== 'ERC-20') continue
    deviating.add(balanceOf(books, { token, holder, tokenId: null }))
    tokens.add(token)
  }
  for (const holding of new Set([...moved.keys(), ...deviating])) {
    const delta = moved.get(holding) ?? 0n
    const deviates = deviating.has(holding)
    if ((delta === 0n && !deviates) || asOf <= holding.asOf) continue
    holding.value += delta
    holding.asOf = asOf
    const isPossible = holding.value >= 0n && holding.value < 1n << 256n
    const isOverdrawn = holding.isKnown && !isPossible && holding.holder !== zeroAddress
    if (isOverdrawn && standardOf(holding.token) !== 'ERC-1155') tokens.add(holding.token)
    if (isOverdrawn && !deviates) books.doubts.deviates(holding, asOf)
    if (!isPossible || deviates || holding.deviates) holding.isKnown = false
    holding.observedAt = 0
  }
  return tokens
}

/**
 * Decision 64: only who owns an id can send it, and only an id that nobody owns is minted. Where
 * the log tells otherwise, the id went from its owner to its sender without a transfer: both have
 * another count than their transfers give. Nobody is known to own an id without a transfer only
 * where the log has all that happened to its token.
 * @returns those of the two who can hold anything, the sender first; none where the log agrees
 */
function endsInSilence(
  { owners, observedFirst, isComplete }: Books,
  { token, tokenId, from, asOf }: Pick<Ownership, 'token' | 'tokenId' | 'asOf'> & { from: Address },
): Address[] {
  const last = owners.get(`${token} ${tokenId}`) ?? { owner: zeroAddress, asOf: -1 }
  const isKnown = last.owner !== zeroAddress || isComplete(token)
  // What was observed may hold this transfer already.
  const isOld = asOf < last.asOf || asOf <= observedFirst
  if (!isKnown || isOld || last.owner === from) return []
  return [from, last.owner].filter((holder) => holder !== zeroAddress)
}

const wrappingTopics: readonly string[] = [
  'Deposit(address,uint256)',
  'Withdrawal(address,uint256)',
].map((signature) => keccak256(toHex(signature)))

/**
 * Wrapped coin goes in and out without a transfer: an account and an amount, both, one or none of
 * them indexed, and the account a clean address.
 */
function wrappingsOf({ block }: BlockApplied): { token: Address; holder: Address }[] {
  return block.transactions
    .flatMap(({ logs }) => logs)
    .filter(({ topics }) => wrappingTopics.includes(topics[0] ?? ''))
    .flatMap(({ address: token, topics, data }) => {
      const words = data.slice(2).match(/.{64}/g) ?? []
      const [account, amount] = [...topics.slice(1), ...words]
      const isWhole = amount !== undefined && (topics.length < 3 || words.length === 0)
      const digits = account?.replace(/^0x/, '') ?? ''
      if (topics.length > 3 || !isWhole || !/^0{24}/.test(digits)) return []
      return [{ token, holder: address(`0x${digits.slice(24)}`) }]
    })
    .filter(({ holder }) => holder !== zeroAddress)
}

function balanceOf(
  { balances, isComplete }: Books,
  { token, holder, tokenId }: Pick<Holding, 'token' | 'holder' | 'tokenId'>,
): Holding {
  const key = `${token} ${holder} ${tokenId}`
  const unseen = { value: 0n, isKnown: isComplete(token), asOf: -1, deviates: false, observedAt: 0 }
  const fresh = { token, holder, tokenId, ...unseen }
  const holding = balances.get(key) ?? fresh
  balances.set(key, holding)
  return holding
}

function own({ owners }: Books, ownership: Ownership): void {
  const key = `${ownership.token} ${ownership.tokenId}`
  const before = owners.get(key)
  if (before === undefined || ownership.asOf >= before.asOf) owners.set(key, ownership)
}

/** A log of a form that is not its token's does not change balances; ERC-404 has two forms. */
function effectOf(form: Standard, standard: Standard | null) {
  const isOwn = form === standard || (standard === 'ERC-404' && form !== 'ERC-1155')
  return {
    changesOwner: isOwn && form === 'ERC-721',
    movesAmount: isOwn && !(standard === 'ERC-404' && form === 'ERC-721'),
    ofId: form === 'ERC-1155',
  }
}

/**
 * Decision 36: whether the log holds all that ever happened to a token, after a gap: it was created
 * in the log since, or, without a gap, a node said that there was no code before.
 */
export function completeness(
  messages: readonly CanonicalMessage[],
): (token: Address, gapEnd: number) => boolean {
  const createdAt = new Map<Address, number>()
  for (const { block, transaction } of contentsOf(messages).transactions) {
    const { createdContract, status } = transaction
    if (createdContract !== null && status !== 0) createdAt.set(createdContract, block.number)
  }
  const reported = messages.flatMap((one) => (one.kind === 'gap.declared' ? [] : one.tokens))
  const isNew = new Set(
    reported.filter((one) => one.hasCodeBefore === false).map(({ address }) => address),
  )
  return (token, gapEnd) =>
    (createdAt.get(token) ?? -1) > gapEnd || (gapEnd < 0 && isNew.has(token))
}
