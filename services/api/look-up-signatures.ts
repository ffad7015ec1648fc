import type { AbiEntry } from '../../libs/chain/abi-entry.ts'
import type { Address, Hex } from '../../libs/chain/hex.ts'
import type { PublishedSignatures } from '../../libs/presenters/abi/published-signatures.ts'
import { type AbiKey, abiKey } from '../../libs/queries/contract-abis.ts'
import type { References } from './needs.ts'

/** Implementations of one contract that are looked up: a diamond has dozens. */
export const implementationsMax = 32

type RunBy = (contract: Address) => readonly Address[]

/** Entries of ABIs: of the contracts that a page names. */
export const ownAbiKeys = (references: References): readonly AbiKey[] =>
  [...references.contractSelectors.values()].map(({ contract, selector }) =>
    abiKey(contract, selector),
  )

/** And of those whose code they run. */
export const runAbiKeys = (references: References, runBy: RunBy): readonly AbiKey[] =>
  [...references.contractSelectors.values()].flatMap(({ contract, selector }) =>
    runBy(contract).map((run) => abiKey(run, selector)),
  )

interface Found {
  readonly entries: readonly ReadonlyMap<AbiKey, AbiEntry>[]
  readonly wellKnown: ReadonlyMap<Hex, readonly AbiEntry[]>
  readonly runBy: RunBy
}

/** What is said of a selector: by the contract, by what it runs, by anyone. */
export const publishedSignaturesIn =
  ({ entries, wellKnown, runBy }: Found) =>
  (contract: Address | null, selector: Hex): PublishedSignatures => {
    const contracts = contract === null ? [] : [contract, ...runBy(contract)]
    const own = contracts.flatMap((at) => {
      const key = abiKey(at, selector)
      return entries.flatMap((found) => found.get(key) ?? []).slice(0, 1)
    })
    return { own, wellKnown: wellKnown.get(selector) ?? [] }
  }
