import { describe, expect, test } from 'vitest'
import { lookupsOf } from '../testing/lookups.ts'
import {
  aHash,
  anAddress,
  anAddressState,
  aToken,
  aTransaction,
  aTransfer,
} from '../testing/rows.ts'
import { transactionObject } from './transaction.ts'
import { transactionSchema } from './transaction-schema.ts'

const shown = (says: Parameters<typeof aTransaction>[0], lookups = lookupsOf()) =>
  transactionObject(aTransaction(says), [], lookups)

// Decision 51.
test('counts confirmations from the newest block, which has one', () => {
  expect(shown({ blockNumber: 100 }).confirmations).toBe(10)
  expect(shown({ blockNumber: 109 }).confirmations).toBe(1)
  expect(shown({ blockNumber: 110 }).confirmations).toBe(1)
})

// Decision 51.
test('says how long the block took after its parent, in milliseconds', () => {
  expect(shown({}).confirmation_duration).toEqual([0, 12_000])
  expect(shown({ parentTimestamp: null }).confirmation_duration).toEqual([])
})

// Decision 7.
test('shows an integer for the gas limit, however large the field', () => {
  for (const limit of [0n, 30_000_000n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n, 2n ** 256n - 1n]) {
    const { gas_limit } = shown({ gasLimit: limit })
    expect(JSON.stringify(gas_limit)).toBe(`${limit < 2n ** 53n ? limit : 2n ** 53n - 1n}`)
    transactionSchema.shape.gas_limit.parse(gas_limit)
  }
})

// Decision 60.
test.each([0, 253_402_300_799, 253_402_300_800, 1_700_000_000_000, 9_000_000_000_000, 2 ** 53])(
  'shows a time that clients can read for a block of second %i',
  (timestamp) => {
    const time = shown({ timestamp }).timestamp
    transactionSchema.shape.timestamp.parse(time)
    expect(time.slice(0, 4)).toBe(timestamp === 0 ? '1970' : '9999')
  },
)

// Decision 42.
test('derives fees from what was used', () => {
  expect(shown({})).toMatchObject({
    fee: { type: 'actual', value: '252000' },
    gas_limit: 100_000,
    gas_used: '21000',
    gas_price: '12',
    priority_fee: '42000',
    transaction_burnt_fee: '210000',
  })
  expect(shown({ maxFeePerGas: 11n }).priority_fee).toBe('21000')
  expect(
    shown({ type: 0, maxFeePerGas: null, maxPriorityFeePerGas: null, baseFeePerGas: 10n }),
  ).toMatchObject({ max_fee_per_gas: null, priority_fee: null, transaction_burnt_fee: null })
})

const reason =
  '0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000' as const

const awaiting = 'awaiting_internal_transactions'

test.each([
  [{ status: 1 }, ['ok', 'success', null]],
  [{ status: 0 }, ['error', awaiting, null]],
  [{ status: 0, error: 'out of gas' }, ['error', 'out of gas', null]],
  [{ status: 0, error: 'execution reverted' }, ['error', 'Reverted', null]],
  [{ status: 0, revertReason: reason }, ['error', 'Reverted', 'no']],
  [{ status: 0, revertReason: '0x' as const, error: 'x' }, ['error', 'x', null]],
  [{ status: null }, [null, awaiting, null]],
])('tells the outcome of %o', (says, outcome) => {
  const { status, result, revert_reason } = shown(says)
  expect([status, result, revert_reason]).toEqual(outcome)
})

test.each([
  ['0x4e487b710000000000000000000000000000000000000000000000000000000000000011', 'Panic(17)'],
  ['0x08c379a0ff', '0x08c379a0ff'],
  ['0xdeadbeef', '0xdeadbeef'],
] as const)('shows the revert of %s as %s', (revertReason, text) => {
  expect(shown({ status: 0, revertReason }).revert_reason).toBe(text)
})

// Decisions 43 and 49.
test('names all that a transaction is, in one order', () => {
  const contract = anAddress(0xc0)
  const token = aToken({ token: contract })
  const lookups = lookupsOf({ tokens: [token], addresses: [anAddressState({ address: contract })] })
  const call = { to: contract, input: '0x12' as const, value: 1n, transfersCount: 1, type: 3 }
  expect(shown(call, lookups).transaction_types).toEqual([
    'contract_call',
    'coin_transfer',
    'token_transfer',
    'blob_transaction',
  ])
  expect(shown({ to: null, createdContract: contract }, lookups).transaction_types).toEqual([
    'contract_creation',
    'token_creation',
  ])
  expect(shown({ type: 4, to: contract }, lookups).transaction_types).toEqual([
    'set_code_transaction',
  ])
})

test('has no method for a creation or an input under four bytes', () => {
  expect(shown({ to: null, input: '0xa9059cbb' }).method).toBeNull()
  expect(shown({ input: '0xa9059c' }).method).toBeNull()
  expect(shown({ input: '0xa9059cbb' }).method).toBe('transfer')
  expect(shown({ input: '0x01020304' }).method).toBe('0x01020304')
})

// Decision 12.
test('shows ten transfers and says whether there are more', () => {
  const first = Array.from({ length: 10 }, (_, at) => aTransfer({ logIndex: at }))
  const eleven = transactionObject(aTransaction({ transfersCount: 11 }), first, lookupsOf())
  expect(eleven.token_transfers).toHaveLength(10)
  expect(eleven.token_transfers_overflow).toBe(true)
  const ten = transactionObject(aTransaction({ transfersCount: 10 }), first, lookupsOf())
  expect(ten.token_transfers_overflow).toBe(false)
})

// Decision 28.
test('shows the price of the day only once a day has passed', () => {
  const prices = { now: '3', '2023-11-14': '2' }
  expect(shown({}, lookupsOf({ prices })).historic_exchange_rate).toBeNull()
  const timeless = lookupsOf({ prices, head: { block: 9_000, time: null } })
  expect(shown({}, timeless).historic_exchange_rate).toBeNull()
  const later = lookupsOf({ prices, head: { block: 9_000, time: 1_700_000_000 + 86_400 } })
  expect(shown({}, later)).toMatchObject({ historic_exchange_rate: '2', exchange_rate: '3' })
})

test('shows the authorizations of an account that lets code run as its own (contract 68)', () => {
  const signature = { r: `0x${'00'.repeat(31)}10`, s: `0x${'ff'.repeat(32)}`, yParity: '1' }
  const authorizations = JSON.stringify([
    {
      chainId: '1',
      nonce: '5',
      delegate: anAddress(0xd1),
      authority: null,
      signature,
      status: 'ok',
    },
    { chainId: `${2n ** 255n}`, nonce: `${2n ** 53n}`, delegate: anAddress(1), authority: null },
  ])
  expect(shown({ type: 4, authorizations }).authorization_list).toEqual([
    {
      address_hash: '0x00000000000000000000000000000000000000D1',
      authority: null,
      chain_id: 1,
      nonce: '5',
      r: '16',
      s: `${2n ** 256n - 1n}`,
      v: 1,
      status: 'ok',
    },
    {
      address_hash: '0x0000000000000000000000000000000000000001',
      authority: null,
      chain_id: Number.MAX_SAFE_INTEGER,
      nonce: '9007199254740992',
      ...{ r: null, s: null, v: null, status: null },
    },
  ])
})

describe('blobs (contract 69)', () => {
  const blob = {
    blobVersionedHashes: [aHash(1), aHash(2)],
    ...{ maxFeePerBlobGas: '7', blobGasUsed: '262144', blobGasPrice: '3' },
  }
  const extras = JSON.stringify({ rollupFee: null, blob })

  test('are shown of a transaction of type 3', () => {
    expect(shown({ type: 3, extras })).toMatchObject({
      blob_versioned_hashes: [aHash(1), aHash(2)],
      blob_gas_used: '262144',
      blob_gas_price: '3',
      max_fee_per_blob_gas: '7',
      burnt_blob_fee: '786432',
    })
  })

  test('are null where the source did not say them, and in no other type', () => {
    expect(shown({ type: 3 })).toMatchObject({
      ...{ blob_versioned_hashes: null, blob_gas_used: null, blob_gas_price: null },
      ...{ max_fee_per_blob_gas: null, burnt_blob_fee: null },
    })
    expect(shown({ type: 2 })).not.toHaveProperty('blob_gas_used')
  })

  test('are not part of the fee, but what a rollup charges is (contract 42)', () => {
    const charged = JSON.stringify({ rollupFee: '1000', blob })
    const gas = { gasUsed: 21_000n, gasPrice: 12n }
    expect(shown({ type: 3, extras, ...gas }).fee).toEqual({ type: 'actual', value: '252000' })
    expect(shown({ extras: charged, ...gas }).fee).toEqual({ type: 'actual', value: '253000' })
  })
})

test('sends every field of a list row', () => {
  expect(Object.keys(shown({ hash: aHash(1) })).sort()).toEqual(
    [
      ...['actions', 'authorization_list', 'base_fee_per_gas', 'block_number', 'confirmations'],
      ...['confirmation_duration', 'created_contract', 'decoded_input', 'exchange_rate', 'fee'],
      ...['fhe_operations_count', 'from', 'gas_limit', 'gas_price', 'gas_used', 'hash'],
      ...['has_error_in_internal_transactions', 'historic_exchange_rate', 'is_pending_update'],
      ...['max_fee_per_gas', 'max_priority_fee_per_gas', 'method', 'nonce', 'position'],
      ...['priority_fee', 'raw_input', 'result', 'revert_reason', 'status', 'timestamp', 'to'],
      ...['token_transfers', 'token_transfers_overflow', 'transaction_burnt_fee'],
      ...['transaction_tag', 'transaction_types', 'type', 'value'],
    ].sort(),
  )
})
