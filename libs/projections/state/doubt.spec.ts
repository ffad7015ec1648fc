import { describe } from 'vitest'
import { zeroAddress } from '../../chain/hex.ts'
import { balances } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { instances, nftsByOwner } from '../../tables/tables/instances.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import {
  alice,
  balance,
  blockOf,
  bob,
  carol,
  contract,
  created,
  dave,
  type Fact,
  minted,
  nftMinted,
  nftMoved,
  observed,
  person,
  transferred,
} from '../testing/facts.ts'
import { expectWayBack, given, law } from '../testing/law.ts'
import { logOf, withoutEarlierCode } from '../testing/log-of.ts'
import { confirmedMin } from './doubt.ts'
import { stateGroup } from './state-group.ts'

const coin = contract(1)
const cats = contract(3)
const called = (token = coin): Fact => blockOf({ to: token, logs: [] })
const has = (holder: typeof alice, value: bigint) => balance(coin, holder, [null, value]).balances
const seenOf = (...seen: ReturnType<typeof has>[]) => ({ balances: seen.flat() })
const supply = (value: bigint) => observed({ supplies: [{ token: coin, value }] })

describe('doubt (decision 64)', () => {
  const overdrawn = [minted(coin, carol, 9n), transferred(coin, [alice, bob], 6n)]

  law('a balance below zero hides all that is derived of the token', () =>
    given(...overdrawn)
      .shows(balances, [])
      .shows(holders, [])
      .shows(tokenState, [{ holdersCount: null, totalSupply: null, shownSince: 2 }]),
  )

  law('what is derived later, too', () =>
    given(...overdrawn, minted(coin, dave, 1n)).shows(balances, []),
  )

  law('but not what is observed since', () =>
    given(...overdrawn, observed(seenOf(has(alice, 4n), has(bob, 7n))))
      .shows(balances, [
        { holder: alice, value: 4n },
        { holder: bob, value: 7n },
      ])
      .shows(holders, [{ holder: bob }, { holder: alice }]),
  )

  law('an observation from before hides nothing less', () =>
    given(
      minted(coin, carol, 9n),
      observed(seenOf(has(carol, 9n))),
      transferred(coin, [alice, bob], 6n),
    ).shows(balances, []),
  )

  law('what moves again is unknown until it is observed again', () =>
    given(
      ...overdrawn,
      observed(seenOf(has(alice, 4n), has(bob, 7n))),
      transferred(coin, [bob, carol], 1n),
    ).shows(balances, [{ holder: alice, value: 4n }]),
  )

  law('an observed value that is not the known one is a proof, too', () =>
    given(
      minted(coin, alice, 9n),
      transferred(coin, [alice, bob], 5n),
      observed(seenOf(has(bob, 4n))),
    )
      .shows(balances, [{ holder: bob, value: 4n }])
      .shows(tokenState, [{ holdersCount: null, totalSupply: null }]),
  )

  law('holders who have more than there is are a proof', () =>
    given(minted(coin, alice, 9n), supply(8n), blockOf())
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: 8n, holdersCount: null }]),
  )

  law('holders who have less make their number unknown', () =>
    given(minted(coin, alice, 9n), supply(10n))
      .shows(balances, [{ holder: alice }])
      .shows(tokenState, [{ totalSupply: 10n, holdersCount: null }]),
  )

  law('a collection whose counts go below zero shows no owners', () =>
    given(nftMoved(cats, [zeroAddress, alice], 1n), nftMoved(cats, [bob, carol], 2n))
      .shows(nftsByOwner, [])
      .shows(balances, []),
  )

  law('but owners and counts that were observed since', () =>
    given(
      nftMoved(cats, [zeroAddress, alice], 1n),
      nftMoved(cats, [bob, carol], 2n),
      observed({
        owners: [{ token: cats, tokenId: 1n, owner: alice }],
        balances: balance(cats, alice, [null, 3n]).balances,
      }),
    )
      .shows(nftsByOwner, [{ owner: alice, tokenId: 1n }])
      .shows(balances, [{ holder: alice, value: 3n }]),
  )
})

describe('the verdict (decision 64)', () => {
  const people = Array.from({ length: confirmedMin + 2 }, (_, n) => person(n + 100))
  const mints = people.map((who) => minted(coin, who, 3n))
  const overdrawn = [...mints, transferred(coin, [alice, bob], 1n)]
  const confirming = people.slice(0, confirmedMin).map((who) => has(who, 3n))

  law('a sample that is as transfers say shows the rest again', () =>
    given(...overdrawn, observed(seenOf(...confirming)))
      .shows(holders, [...people.map(() => ({ value: 3n })), { holder: bob, value: 1n }])
      .shows(tokenState, [{ shownSince: 0, holdersCount: null }]),
  )

  law('one that is too small shows what it observed', () =>
    given(...overdrawn, observed(seenOf(...confirming.slice(1)))).shows(
      holders,
      confirming.slice(1).map(() => ({ value: 3n })),
    ),
  )

  law('of few holders all are enough, where they have all there is', () => {
    const few = [
      minted(coin, carol, 2n),
      transferred(coin, [alice, bob], 1n),
      observed(seenOf(has(alice, 7n), has(bob, 1n), has(carol, 2n))),
    ]
    const all = [{ holder: alice }, { holder: carol }, { holder: bob }]
    given(...few, supply(10n))
      .shows(holders, all)
      .shows(tokenState, [{ shownSince: 0, holdersCount: 3, totalSupply: 10n }])
    given(...few, supply(11n), blockOf()).shows(tokenState, [
      { shownSince: 2, holdersCount: null, totalSupply: 11n },
    ])
  })

  law('another pair that is not as transfers say: only what is observed is shown', () =>
    given(
      ...overdrawn,
      observed(seenOf(has(people[0] ?? alice, 2n))),
      observed(seenOf(...confirming.slice(1))),
      observed(seenOf(has(bob, 1n), ...people.slice(confirmedMin).map((who) => has(who, 3n)))),
    ).shows(tokenState, [{ shownSince: overdrawn.length, holdersCount: null }]),
  )

  law('what deviated is unknown after each further change, and proves nothing new', () =>
    given(
      ...overdrawn,
      observed(seenOf(has(alice, 5n), ...confirming)),
      transferred(coin, [alice, bob], 2n),
      observed(seenOf(has(alice, 100n))),
    )
      .shows(tokenState, [{ shownSince: 0 }])
      .shows(holders, [
        { holder: alice, value: 100n },
        ...people.map(() => ({ value: 3n })).slice(1),
        { value: 3n },
        { value: 3n },
      ]),
  )

  law('is taken back with the block that it followed', () => {
    const facts = withoutEarlierCode([...overdrawn, observed(seenOf(...confirming)), called()])
    for (let count = 1; count <= facts.length; count++) {
      expectWayBack(logOf(facts.slice(0, count)), stateGroup)
    }
  })
})

describe('balances that change without a log (decision 64)', () => {
  const seen = observed(seenOf(has(alice, 4n), has(bob, 7n)))
  const deviating = [minted(coin, carol, 9n), transferred(coin, [alice, bob], 6n), seen]

  law('once they did while it was called, only what is observed since is shown', () =>
    given(...deviating, called(), observed(seenOf(has(alice, 8n))))
      .shows(balances, [{ holder: alice, value: 8n }])
      .shows(tokenState, [{ totalSupply: null }]),
  )

  law('a collection that reports more ids than were minted has unknown holders', () => {
    const facts = [created(cats), nftMinted(cats, alice, 1n)]
    const reported = (value: bigint) => observed({ supplies: [{ token: cats, value }] })
    given(...facts, reported(1n)).shows(tokenState, [{ holdersCount: 1, totalSupply: 1n }])
    // Some count on when an id is burned.
    const burned = [nftMinted(cats, bob, 2n), nftMoved(cats, [bob, zeroAddress], 2n)]
    given(...facts, ...burned, reported(2n)).shows(tokenState, [
      { holdersCount: 1, totalSupply: 2n },
    ])
    given(...facts, reported(4n)).shows(tokenState, [{ holdersCount: null, totalSupply: 4n }])
  })

  law('a collection found sound is not any more where a stranger sends another id', () => {
    const ids = [1n, 2n, 3n]
    const people = Array.from({ length: confirmedMin }, (_, n) => person(n + 100))
    const facts = [
      created(cats),
      ...ids.map((id) => nftMinted(cats, alice, id)),
      ...people.map((who, n) => nftMinted(cats, who, BigInt(10 + n))),
      nftMoved(cats, [bob, carol], 1n),
      ...people.map((who) => observed(balance(cats, who, [null, 1n]))),
    ]
    const shown = { shownSince: 0 }
    given(...facts).shows(tokenState, [shown])
    // Nobody was known to own the id.
    given(...facts, nftMoved(cats, [bob, carol], 77n)).shows(tokenState, [shown])
    given(...facts, nftMoved(cats, [bob, carol], 2n)).shows(tokenState, [
      { shownSince: facts.filter(({ kind }) => kind === 'block').length + 1 },
    ])
  })

  law('of a collection hide the owners that logs tell', () => {
    const counted = (value: bigint) => observed(balance(cats, alice, [null, value]))
    const facts = [created(cats), nftMinted(cats, alice, 1n), nftMinted(cats, bob, 2n)]
    const sound = [counted(3n), observed(balance(cats, bob, [null, 1n]))]
    const reported = observed({ supplies: [{ token: cats, value: 4n }] })
    const owners = [{ owner: alice }, { owner: bob }]
    given(...facts, ...sound, reported).shows(instances, owners)
    // As before, though somebody called it.
    given(...facts, ...sound, reported, called(cats), counted(3n)).shows(instances, owners)
    given(...facts, ...sound, reported, called(cats), counted(2n)).shows(instances, [])
  })

  law('once they did while nobody called it, nothing is shown', () =>
    given(...deviating, blockOf(), observed(seenOf(has(alice, 8n))), supply(5n))
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null }]),
  )
})
