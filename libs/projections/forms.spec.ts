import { describe } from 'vitest'
import { zeroAddress } from '../chain/hex.ts'
import { balances } from '../tables/tables/balances.ts'
import { holders } from '../tables/tables/holders.ts'
import { instances, nftsByOwner } from '../tables/tables/instances.ts'
import { tokenState } from '../tables/tables/tokens.ts'
import { earlyTransfersMax } from './entities/early-transfer.ts'
import {
  alice,
  balance,
  blockOf,
  bob,
  carol,
  contract,
  created,
  dave,
  describing,
  emitted,
  minted,
  moved,
  nftLog,
  nftMinted,
  nftMoved,
  observed,
  singleLog,
  transferLog,
  transferred,
} from './testing/facts.ts'
import { given, givenFromTheMiddle, law } from './testing/law.ts'

const token = contract(1)
const isCollection = { address: token, standard: 'ERC-721', name: 'Plots' } as const
const isCoin = { address: token, decimals: 18 } as const
const isMany = { address: token, standard: 'ERC-1155' } as const

describe('logs are read by the standard of their contract (decision 61)', () => {
  law('an id in the data of a collection moves that id', () =>
    given(
      created(token),
      describing(minted(token, alice, 7n), isCollection),
      minted(token, alice, 1_000n),
      transferred(token, [alice, bob], 7n),
    )
      .shows(nftsByOwner, [
        { owner: alice, tokenId: 1_000n },
        { owner: bob, tokenId: 7n },
      ])
      .shows(holders, [
        { holder: bob, value: 1n },
        { holder: alice, value: 1n },
      ])
      .shows(tokenState, [{ standard: 1, totalSupply: 2n, holdersCount: 2 }]),
  )

  law('an indexed amount of a contract with decimals and without ERC-165 is an amount', () =>
    given(
      created(token),
      describing(nftMinted(token, alice, 500n), isCoin),
      nftMoved(token, [alice, bob], 200n),
      transferred(token, [bob, carol], 50n),
    )
      .shows(balances, [
        { holder: alice, value: 300n, standard: 0 },
        { holder: bob, value: 150n },
        { holder: carol, value: 50n },
      ])
      .shows(nftsByOwner, [])
      .shows(tokenState, [{ standard: 0, totalSupply: 500n, holdersCount: 3 }]),
  )

  law('without decimals both forms are shown, ids by their owner', () =>
    given(created(token), minted(token, alice, 5n), nftMinted(token, bob, 5n))
      .shows(balances, [{ holder: alice, value: 5n }])
      .shows(nftsByOwner, [{ owner: bob, tokenId: 5n, standard: 1, value: 1n }])
      .shows(tokenState, [{ standard: 0, holdersCount: null }]),
  )

  law('a collection that also logs amounts of ids shows both', () =>
    given(
      created(token),
      describing(nftMinted(token, alice, 1n), isCollection),
      moved(token, [zeroAddress, bob], [2n, 9n]),
      moved(token, [bob, carol], [2n, 4n]),
    )
      .shows(nftsByOwner, [
        { owner: alice, tokenId: 1n, standard: 1, value: 1n },
        { owner: bob, tokenId: 2n, standard: 2, value: 5n },
        { owner: carol, tokenId: 2n, standard: 2, value: 4n },
      ])
      .shows(tokenState, [{ standard: 1, holdersCount: null }]),
  )

  law('an ERC-1155 that also logs single ids shows both', () =>
    given(
      created(token),
      describing(moved(token, [zeroAddress, alice], [1n, 3n]), isMany),
      nftMinted(token, bob, 2n),
      nftMoved(token, [bob, carol], 2n),
    )
      .shows(nftsByOwner, [
        { owner: alice, tokenId: 1n, standard: 2, value: 3n },
        { owner: carol, tokenId: 2n, standard: 1, value: 1n },
      ])
      .shows(instances, [
        { tokenId: 1n, owner: null },
        { tokenId: 2n, owner: carol },
      ]),
  )

  law('one movement that is logged in both forms counts once', () => {
    const both = (ends: readonly [typeof alice, typeof alice]) =>
      emitted(singleLog(token, ends, [3n, 1n]), nftLog(token, ends, 3n))
    return given(created(token), describing(both([zeroAddress, alice]), isMany), both([alice, bob]))
      .shows(nftsByOwner, [{ owner: bob, tokenId: 3n, value: 1n }])
      .shows(tokenState, [{ holdersCount: 1 }])
  })
})

describe('transfers that came before their contract said what it is', () => {
  law('are read again by its standard: amounts as ids', () =>
    given(
      created(token),
      minted(token, alice, 7n),
      minted(token, alice, 8n),
      transferred(token, [alice, bob], 7n),
      describing(emitted(), isCollection),
      transferred(token, [alice, carol], 8n),
    )
      .shows(nftsByOwner, [
        { owner: bob, tokenId: 7n },
        { owner: carol, tokenId: 8n },
      ])
      .shows(balances, [
        { holder: bob, value: 1n, standard: 1 },
        { holder: carol, value: 1n },
      ])
      .shows(tokenState, [{ standard: 1, totalSupply: 2n, holdersCount: 2 }]),
  )

  law('and no doubt is left that only the other reading raised', () =>
    given(
      created(token),
      nftMinted(token, alice, 500n),
      nftMoved(token, [alice, bob], 200n),
      nftMoved(token, [alice, bob], 100n),
      describing(emitted(), isCoin),
    ).shows(tokenState, [{ standard: 0, totalSupply: 500n, holdersCount: 2, shownSince: 0 }]),
  )

  law('unless there are too many of them: then nothing of them is shown', () => {
    const many = Array.from({ length: earlyTransfersMax + 1 }, (_, id) =>
      transferLog(token, [zeroAddress, alice], BigInt(id)),
    )
    return given(created(token), emitted(...many), describing(emitted(), isCollection)).shows(
      tokenState,
      [{ standard: 1, totalSupply: null, holdersCount: null, shownSince: 3 }],
    )
  })

  law('nor where something else than they has changed what is known', () =>
    given(
      created(token),
      minted(token, alice, 7n),
      observed(balance(token, alice, [null, 1n])),
      describing(emitted(), isCollection),
    ).shows(tokenState, [{ standard: 1, holdersCount: null }]),
  )

  law('ids as amounts', () =>
    given(
      created(token),
      nftMinted(token, alice, 70n),
      nftMoved(token, [alice, bob], 20n),
      describing(emitted(), isCoin),
    )
      .shows(nftsByOwner, [])
      .shows(balances, [
        { holder: alice, value: 50n, standard: 0 },
        { holder: bob, value: 20n },
      ])
      .shows(tokenState, [{ standard: 0, totalSupply: 70n, holdersCount: 2 }]),
  )

  law('of both forms, too, and into a standard of many balances a holder', () =>
    given(
      created(token),
      minted(token, alice, 5n),
      moved(token, [zeroAddress, alice], [1n, 2n]),
      describing(moved(token, [alice, bob], [1n, 1n]), isMany),
    )
      .shows(balances, [
        { holder: alice, tokenId: 1n, value: 1n, standard: 2 },
        { holder: bob, tokenId: 1n, value: 1n },
      ])
      .shows(tokenState, [{ standard: 2, totalSupply: null, holdersCount: 2 }]),
  )

  law('of ids that nobody is known to have, too: who has them is counted once', () =>
    givenFromTheMiddle(
      emitted(
        singleLog(token, [alice, carol], [5n, 1n]),
        transferLog(token, [alice, zeroAddress], 1n),
      ),
      describing(blockOf(), { ...isCoin, hasCodeBefore: false }),
      moved(token, [carol, bob], [5n, 1n]),
    ).shows(tokenState, [{ standard: 0, holdersCount: null }]),
  )

  law('and of ids that somebody has: amounts of a contract that says it is a collection', () =>
    given(
      created(token),
      moved(token, [zeroAddress, carol], [5n, 1n]),
      describing(nftMinted(token, dave, 6n), isCollection),
      moved(token, [carol, bob], [5n, 1n]),
      nftMoved(token, [dave, bob], 6n),
    ).shows(instances, [{ tokenId: 5n }, { tokenId: 6n }]),
  )

  law('in the block of the metadata, where the standard comes first', () =>
    given(created(token), describing(minted(token, alice, 7n), isCollection)).shows(nftsByOwner, [
      { owner: alice, tokenId: 7n },
    ]),
  )

  law('by the same standard, once the log says that it has the whole history', () =>
    givenFromTheMiddle(
      nftMinted(token, alice, 7n),
      nftMinted(token, alice, 8n),
      describing(nftMoved(token, [alice, bob], 8n), { ...isCollection, hasCodeBefore: false }),
    )
      .shows(holders, [
        { holder: bob, value: 1n },
        { holder: alice, value: 1n },
      ])
      .shows(tokenState, [{ standard: 1, totalSupply: 2n, holdersCount: 2 }]),
  )

  law('also where it does not say what it is', () =>
    givenFromTheMiddle(
      minted(token, alice, 7n),
      describing(emitted(), { address: token, hasCodeBefore: false }),
    )
      .shows(holders, [{ holder: alice, value: 7n }])
      .shows(tokenState, [{ standard: 0, totalSupply: 7n, holdersCount: 1 }]),
  )

  law('but not once it has said so: a standard stays', () =>
    given(
      created(token),
      describing(minted(token, alice, 7n), isCoin),
      describing(minted(token, bob, 8n), isCollection),
    ).shows(tokenState, [{ standard: 0, totalSupply: 15n }]),
  )
})
