import { describe, expect } from 'vitest'
import { hex } from '../../chain/hex.ts'
import { unknownPlace } from '../../chain/node-fields.ts'
import { position } from '../../chain/position.ts'
import { logsByAddress, logsByTopic, logsByTransaction } from '../../tables/tables/logs.ts'
import {
  transactions,
  transactionsByAddress,
  transactionsByFee,
  transactionsByValue,
} from '../../tables/tables/transactions.ts'
import { transfersByToken, transfersByTransaction } from '../../tables/tables/transfers.ts'
import {
  alice,
  batchMoved,
  blockOf,
  bob,
  carol,
  contract,
  gap,
  observed,
  transferLog,
  word,
} from '../testing/facts.ts'
import { given, law } from '../testing/law.ts'
import { logOf, transactionHash } from '../testing/log-of.ts'
import { ledger } from './ledger.ts'

const coin = contract(1)
const call = hex('0xa9059cbb00')

describe('transactions', () => {
  law('stand on both sides, once each, and by value and by fee', () =>
    given(blockOf({ value: 9n, gasUsed: 3n, gasPrice: 7n, logs: [] }))
      .shows(transactionsByAddress, [
        { address: alice, side: 0, blockNumber: 1, index: 0, value: 9n },
        { address: bob, side: 1 },
      ])
      .shows(transactionsByValue, [
        { address: alice, side: 0, value: 9n },
        { address: bob, side: 1 },
      ])
      .shows(transactionsByFee, [
        { address: alice, side: 0, fee: 21n },
        { address: bob, side: 1, fee: 21n },
      ])
      .shows(transactions, [{ hash: transactionHash(1, 0), blockNumber: 1, index: 0 }]),
  )

  law('to oneself stand on both sides', () =>
    given(blockOf({ to: alice, logs: [] })).shows(transactionsByAddress, [
      { address: alice, side: 0 },
      { address: alice, side: 1 },
    ]),
  )

  law('that create stand with the contract as their recipient', () =>
    given(blockOf({ to: null, createdContract: coin, logs: [] })).shows(transactionsByAddress, [
      { address: alice, side: 0, to: null, createdContract: coin },
      { address: coin, side: 1 },
    ]),
  )

  law('that failed to create stand with nobody (decision 41)', () =>
    given(blockOf({ to: null, createdContract: coin, status: 0, logs: [] })).shows(
      transactionsByAddress,
      [{ address: alice, side: 0, createdContract: null, status: 0 }],
    ),
  )

  law('without a status take it from their traces, if there are any (decision 40)', () =>
    given(
      blockOf(
        { status: null, logs: [] },
        { status: null, calls: [], logs: [] },
        { status: null, calls: [], error: 'out of gas', logs: [] },
        { status: null, error: 'unknown', logs: [] },
      ),
    ).shows(transactions, [{ status: null }, { status: 1 }, { status: 0 }, { status: null }]),
  )

  law('contain inner errors only if there are traces', () => {
    const inner = { type: 'CALL', from: bob, to: carol, value: 0n, selector: null, ...unknownPlace }
    return given(
      blockOf(
        { logs: [] },
        { calls: [{ ...inner, error: null }], logs: [] },
        {
          calls: [
            { ...inner, error: null },
            { ...inner, error: 'reverted' },
          ],
          logs: [],
        },
      ),
    ).shows(transactions, [
      { hasInnerError: null },
      { hasInnerError: false },
      { hasInnerError: true },
    ])
  })

  law('keep their authorizations as text', () =>
    given(
      blockOf({
        type: 4,
        logs: [],
        authorizations: [
          { chainId: 1n, nonce: 2n, delegate: coin, authority: null, signature: null },
        ],
      }),
    ).shows(transactions, [
      {
        authorizations: `[{"chainId":"1","nonce":"2","delegate":"${coin}","authority":null,"signature":null,"status":"invalid_chain_id"}]`,
      },
    ]),
  )
})

describe('transfers', () => {
  law('are listed by token and by transaction, batches flattened and counted after merging', () =>
    given(
      batchMoved(
        coin,
        [alice, bob],
        [
          [1n, 5n],
          [2n, 6n],
          [1n, 7n],
        ],
      ),
    )
      .shows(transfersByToken, [
        { token: coin, logIndex: 0, batchIndex: 0, tokenId: 1n, value: 12n, batchSize: 3 },
        { batchIndex: 1, tokenId: 2n, value: 6n, form: 2 },
      ])
      .shows(transfersByTransaction, [{ batchIndex: 1 }, { batchIndex: 0 }])
      .shows(transactions, [{ transfersCount: 2 }]),
  )

  law('carry the method of their call, none of a creation or a short input (decision 45)', () =>
    given(
      blockOf(
        { input: call, logs: [transferLog(coin, [alice, bob], 1n)] },
        { input: hex('0xa9059c'), logs: [transferLog(coin, [alice, bob], 1n)] },
        { input: call, to: null, logs: [transferLog(coin, [alice, bob], 1n)] },
      ),
    ).shows(transfersByToken, [
      { logIndex: 0, method: '0xa9059cbb' },
      { logIndex: 1, method: null },
      { logIndex: 2, method: null },
    ]),
  )
})

describe('logs', () => {
  law('stand by address, by transaction, and once by each of their topics', () => {
    const log = { address: coin, topics: [word(1), word(2), word(1)], data: hex('0x05') }
    return given(blockOf({ logs: [log, { ...log, topics: [] }] }))
      .shows(logsByAddress, [
        { address: coin, logIndex: 0, topics: log.topics, data: '0x05' },
        { logIndex: 1, topics: [] },
      ])
      .shows(logsByTransaction, [{ logIndex: 0, address: coin }, { logIndex: 1 }])
      .shows(logsByTopic, [
        { topic: word(1), logIndex: 0 },
        { topic: word(2), logIndex: 0 },
      ])
  })
})

describe('messages without transactions', () => {
  law('write nothing here', () => {
    for (const message of logOf([blockOf(), observed({}), gap(1)])) {
      expect([...ledger.rows(message, [], position(1))]).toEqual([])
    }
  })
})
