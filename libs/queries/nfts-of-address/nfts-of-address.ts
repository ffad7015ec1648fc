import { type Address, withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import { type Standard, standards as standardList } from '../../chain/token.ts'
import type { Store } from '../../ports/store.ts'
import type { Row } from '../../tables/declare/table.ts'
import { nftsByOwner as table } from '../../tables/tables/instances.ts'
import { firstRowsOfSubjects } from '../reading/declared.ts'
import { firstPageRows, firstPages, firstRows } from '../reading/first-pages.ts'
import { uint256Max } from '../reading/parameters.ts'
import { query } from '../reading/query.ts'
import { question } from '../reading/question.ts'
import { type ListSource, readList, unfiltered } from '../reading/read-list.ts'
import type { RunOptions } from '../reading/run-options.ts'
import { hiddenTokens, type TokensInDoubt } from '../tokens-in-doubt.ts'

type Nft = Row<typeof table>

const nftsOfAddressPlain = query({
  file: new URL('./nfts-of-address.sql', import.meta.url),
  table,
  budget: { rowsMax: 8_000, bytesMax: 500_000 },
})
/** Reads what it steps over: the budget is that of 100,000 tombstones. */
const nftsOfAddressSkipping = query({
  file: new URL('./nfts-of-address-skipping.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 4_000_000 },
})
/** Reads the rows that the one above steps over. */
const nftsOfAddressTokens = query({
  file: new URL('./nfts-of-address-tokens.sql', import.meta.url),
  table,
  budget: { rowsMax: 150_000, bytesMax: 8_000_000 },
})
const nftsOfAddressVersions = query({
  file: new URL('./nfts-of-address-versions.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 4_000_000 },
})

/** First pages of owners with few rows. */
const nftsOfAddresses = firstRowsOfSubjects({
  file: new URL('./nfts-of-addresses.sql', import.meta.url),
  table,
  order: 'key',
  budget: { rowsMax: 300_000, bytesMax: 100_000_000 },
})

export interface NftsOfAddress {
  readonly owner: Address
  readonly standards: readonly Standard[]
  readonly after: {
    readonly standard: Standard
    readonly token: Address
    readonly tokenId: bigint
  } | null
  readonly limit: number
  /** Filters rows that belong in the list; all by default. */
  readonly listed?: (rows: readonly Nft[]) => Promise<readonly Nft[]>
  readonly inDoubt?: TokensInDoubt
}

/** In the order of `standards` of the chain, then token ascending, token id descending. */
export const nftsOfAddress = question({
  table,
  subjects: ({ owner }: NftsOfAddress) => [owner],
  read: (store, options, { knownFrom }): Promise<readonly Nft[]> =>
    readList(
      sourceOf(store, { ...options, knownFrom }),
      options.limit,
      options.listed ?? unfiltered,
    ),
  batch: firstPages({
    subjectOf: ({ owner, standards, after, limit, listed }: NftsOfAddress) =>
      after === null && limit <= firstPageRows && !listed && isUnfiltered(standards) ? owner : null,
    query: nftsOfAddresses,
    subjectOfRow: (row) => row.owner,
    ...firstRows(table, cursorKey),
    parametersOf: ({ knownFrom = 0 }) => ({ knownFrom }),
  }),
})

/** Fungible tokens have no rows here. */
const isUnfiltered = (standards: readonly Standard[]) =>
  standardList.every((standard) => standard === 'ERC-20' || standards.includes(standard))

function cursorKey({ standard, token, tokenId }: Nft): string {
  return `${standard}|${token}|${tokenId}`
}

function sourceOf(
  store: Store,
  { owner, standards, after, inDoubt, knownFrom }: NftsOfAddress & Pick<RunOptions, 'knownFrom'>,
): ListSource<Nft> {
  const list = { owner: withoutPrefix(owner), standards: standards.map(rankOf), knownFrom }
  const start = after
    ? { standard: rankOf(after.standard), token: after.token, tokenId: after.tokenId }
    : { standard: 0, token: zeroAddress, tokenId: uint256Max }
  const parameters = (last: Nft | null, rowsMax: number) => {
    const { standard, token, tokenId } = last ?? start
    return { ...list, standard, token: withoutPrefix(token), tokenId, rowsMax }
  }
  const hidden = hiddenTokens(inDoubt, (last: Nft | null, tokensMax, limits) =>
    nftsOfAddressTokens.run(store, parameters(last, tokensMax), limits),
  )
  return {
    table,
    cursorKey,
    fetch: (last, rowsMax) => nftsOfAddressPlain.run(store, parameters(last, rowsMax)),
    fetchRowsMax: 4_096,
    skipping: {
      async fetch(last, rowsMax) {
        const skipped = { ...parameters(last, rowsMax), hidden: await hidden(last) }
        return nftsOfAddressSkipping.run(store, skipped)
      },
      versionsOf: (rows) =>
        nftsOfAddressVersions.run(store, {
          owner: list.owner,
          knownFrom,
          rowStandards: rows.map(({ standard }) => standard),
          tokens: rows.map(({ token }) => withoutPrefix(token)),
          tokenIds: rows.map(({ tokenId }) => tokenId),
        }),
      fetchRowsMax: 1_000,
    },
  }
}

function rankOf(standard: Standard): number {
  return standardList.indexOf(standard)
}
