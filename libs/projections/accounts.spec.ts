import { describe } from 'vitest'
import type { Call } from '../chain/block.ts'
import { type Address, hex, zeroAddress } from '../chain/hex.ts'
import { addressState } from '../tables/address-state.ts'
import { alice, blockOf, bob, carol, contract, created, emitted, word } from './testing/facts.ts'
import { given, law } from './testing/law.ts'
import { testChain, transactionHash } from './testing/log-of.ts'

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
})
const authorized = (authority: Address | null, delegate: Address, chainId = BigInt(testChain)) => ({
  chainId,
  nonce: 0n,
  delegate,
  authority,
})

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

  law('who emits a log', () =>
    given(emitted(speaks(made))).shows(addressState, [
      { address: made, isContract: true, creationTransaction: null },
    ]),
  )
})

describe('delegations (EIP-7702)', () => {
  const delegating = (...authorizations: ReturnType<typeof authorized>[]) =>
    blockOf({ type: 4, logs: [], authorizations })

  law('make an account a contract as long as they last', () =>
    given(delegating(authorized(alice, made), authorized(bob, made)), {
      ...delegating(authorized(bob, zeroAddress)),
    }).shows(addressState, [
      { address: alice, isContract: true, delegate: made },
      { address: bob, isContract: false, delegate: null },
    ]),
  )

  law('of this chain or of any, by a known authority', () =>
    given(
      delegating(authorized(alice, made, 0n), authorized(bob, made, 5n), authorized(null, made)),
    ).shows(addressState, [{ address: alice, delegate: made }]),
  )

  law('hold though the transaction failed', () =>
    given(
      blockOf({ type: 4, status: 0, logs: [], authorizations: [authorized(alice, made)] }),
    ).shows(addressState, [{ address: alice, delegate: made }]),
  )

  law('speak through the account without giving it code of its own', () =>
    given(
      delegating(authorized(alice, made)),
      emitted(speaks(alice)),
      delegating(authorized(alice, zeroAddress)),
    ).shows(addressState, [{ address: alice, isContract: false }]),
  )
})
