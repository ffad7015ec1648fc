import { describe } from 'vitest'
import type { Call } from '../../chain/block.ts'
import { type Address, hex, zeroAddress } from '../../chain/hex.ts'
import { unknownPlace } from '../../chain/node-fields.ts'
import { addressState } from '../../tables/tables/addresses.ts'
import {
  alice,
  blockOf,
  bob,
  carol,
  contract,
  created,
  dave,
  emitted,
  word,
} from '../testing/facts.ts'
import { given, law } from '../testing/law.ts'
import { testChain, transactionHash } from '../testing/log-of.ts'

const made = contract(1)
const inner = contract(2)
const speaks = (address: Address) => ({ address, topics: [word(1)], data: hex('0x') })
const call = (type: string, to: Address, error: string | null = null): Call => ({
  type,
  from: made,
  to,
  value: 0n,
  error,
  selector: null,
  ...unknownPlace,
})
const authorized = (
  authority: Address | null,
  delegate: Address,
  { chainId = BigInt(testChain), nonce = 0n }: { chainId?: bigint; nonce?: bigint } = {},
) => ({
  chainId,
  nonce,
  delegate,
  authority,
  signature: null,
})

/** Sent by somebody else than the authorities. */
const delegating = (...authorizations: ReturnType<typeof authorized>[]) =>
  blockOf({ type: 4, from: dave, logs: [], authorizations })
/** Sent by the authority. */
const delegatingFrom = (
  from: Address,
  nonce: number,
  ...authorizations: ReturnType<typeof authorized>[]
) => blockOf({ type: 4, from, nonce, logs: [], authorizations })

describe('is_contract (decision 46)', () => {
  law('what was created in the log, and by which transaction', () =>
    given(created(made)).shows(addressState, [
      { address: made, isContract: true, creationTransaction: transactionHash(1, 0) },
    ]),
  )

  law('what a failed creation would have been is nothing', () =>
    given(blockOf({ status: 0, to: null, createdContract: made, logs: [] })).shows(
      addressState,
      [],
    ),
  )

  law('what a call created, unless it failed', () =>
    given(
      blockOf({
        logs: [],
        calls: [
          call('CREATE', inner),
          call('CREATE2', made),
          call('CREATE', alice, 'out of gas'),
          call('CALL', bob),
        ],
      }),
      blockOf({ status: 0, logs: [], calls: [call('CREATE', carol)] }),
    ).shows(addressState, [{ address: made }, { address: inner }]),
  )

  law('what the source knows to have code', () =>
    given({ ...blockOf({ logs: [] }), contracts: [made] }).shows(addressState, [
      { address: made, isContract: true, creationTransaction: null },
    ]),
  )

  law('but an account whose delegate’s code ran', () =>
    given(
      delegating(authorized(alice, made)),
      delegating(authorized(alice, zeroAddress, { nonce: 1n })),
      { ...blockOf({ from: dave, logs: [] }), contracts: [alice] },
    ).shows(addressState, [{ address: alice, isContract: false }]),
  )

  law('who emits a log', () =>
    given(emitted(speaks(made))).shows(addressState, [
      { address: made, isContract: true, creationTransaction: null },
    ]),
  )
})

describe('delegations (EIP-7702)', () => {
  law('make an account a contract as long as they last', () =>
    given(delegating(authorized(alice, made), authorized(bob, made)), {
      ...delegating(authorized(bob, zeroAddress, { nonce: 1n })),
    }).shows(addressState, [
      { address: alice, isContract: true, delegate: made },
      { address: bob, isContract: false, delegate: null },
    ]),
  )

  law('of this chain or of any, by a known authority', () =>
    given(
      delegating(
        authorized(alice, made, { chainId: 0n }),
        authorized(bob, made, { chainId: 5n }),
        authorized(null, made),
      ),
    ).shows(addressState, [{ address: alice, delegate: made }]),
  )

  law('hold though the transaction failed', () =>
    given(
      blockOf({
        ...{ type: 4, from: dave, status: 0, logs: [] },
        authorizations: [authorized(alice, made)],
      }),
    ).shows(addressState, [{ address: alice, delegate: made }]),
  )

  law('run through the account without giving it code of its own', () =>
    given(
      delegating(authorized(alice, made)),
      blockOf({ from: dave, logs: [speaks(alice)] }),
      delegating(authorized(alice, zeroAddress, { nonce: 1n })),
      blockOf({ from: dave, logs: [speaks(alice)] }),
    ).shows(addressState, [{ address: alice, isContract: false }]),
  )

  law('count once, even if an old one is sent again', () =>
    given(
      delegating(authorized(alice, made, { nonce: 7n })),
      delegating(authorized(alice, zeroAddress, { nonce: 8n })),
      delegating(authorized(alice, made, { nonce: 7n })),
      delegating(authorized(alice, inner, { nonce: 3n })),
    ).shows(addressState, [{ address: alice, isContract: false, delegate: null }]),
  )

  law('of the sender count with the nonce after the transaction’s, and no other', () => {
    for (const nonce of [0n, 2n, 77n]) {
      given(delegatingFrom(alice, 0, authorized(alice, made, { nonce }))).shows(addressState, [])
    }
    given(delegatingFrom(alice, 5, authorized(alice, made, { nonce: 6n }))).shows(addressState, [
      { address: alice, isContract: true, delegate: made },
    ])
  })

  law('of the sender count one after the other, those that are skipped not', () =>
    given(
      delegatingFrom(
        alice,
        5,
        authorized(alice, made, { nonce: 6n }),
        authorized(bob, inner, { nonce: 40n }),
        authorized(alice, made, { nonce: 8n }),
        authorized(alice, inner, { nonce: 7n }),
        authorized(alice, carol, { nonce: 7n }),
      ),
    ).shows(addressState, [
      { address: alice, delegate: inner },
      { address: bob, delegate: inner },
    ]),
  )

  law('in a future nonce do not keep true ones out', () =>
    given(
      delegatingFrom(alice, 0, authorized(alice, made, { nonce: 77n })),
      delegatingFrom(alice, 1, authorized(alice, inner, { nonce: 2n })),
    ).shows(addressState, [{ address: alice, delegate: inner }]),
  )

  law('of an account whose nonce is known from transactions count with that nonce only', () =>
    given(
      delegatingFrom(alice, 5, authorized(alice, made, { nonce: 6n })),
      delegatingFrom(alice, 7, authorized(alice, zeroAddress, { nonce: 8n })),
      blockOf({ from: alice, nonce: 9, logs: [] }),
      delegating(authorized(alice, inner, { nonce: 9n })),
      delegating(authorized(alice, inner, { nonce: 11n })),
      delegating(authorized(alice, bob, { nonce: 10n })),
    ).shows(addressState, [{ address: alice, delegate: bob }]),
  )

  law('that were assumed end with a transaction of a lower nonce', () =>
    given(
      delegatingFrom(alice, 5, authorized(alice, made, { nonce: 6n })),
      delegating(authorized(alice, inner, { nonce: 50n })),
      delegating(authorized(alice, bob, { nonce: 51n })),
      delegating(authorized(carol, inner, { nonce: 9n })),
      blockOf({ from: alice, nonce: 7, logs: [] }),
      blockOf({ from: carol, nonce: 3, logs: [] }),
    ).shows(addressState, [
      { address: alice, delegate: made },
      { address: carol, delegate: null, isContract: false },
    ]),
  )

  law('that were assumed stand with a transaction of the nonce that they lead to', () =>
    given(
      delegating(authorized(carol, inner, { nonce: 9n })),
      blockOf({ from: carol, nonce: 10, logs: [] }),
      delegating(authorized(carol, made, { nonce: 9n })),
      delegating(authorized(carol, bob, { nonce: 11n })),
    ).shows(addressState, [{ address: carol, delegate: bob }]),
  )

  law('of a nonce that no account can have are none', () =>
    given(delegating(authorized(alice, made, { nonce: (1n << 64n) - 1n }))).shows(addressState, []),
  )
})
