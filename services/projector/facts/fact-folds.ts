import type { z } from 'zod'
import type { Position } from '../../../libs/chain/position.ts'
import {
  addressFactRows,
  coinPriceRows,
  instanceFactRows,
  signatureFactRows,
  tokenFactRows,
} from '../../../libs/projections/dimensions.ts'
import type { TableRow } from '../../../libs/tables/declare/table.ts'
import { type Decoded, decodeMessage } from '../../../libs/topics/codec.ts'
import { addressFact } from '../../../libs/topics/facts/address-facts.ts'
import { coinPrice } from '../../../libs/topics/facts/coin-prices.ts'
import { instanceFact } from '../../../libs/topics/facts/instance-facts.ts'
import { signatureFact } from '../../../libs/topics/facts/signature-facts.ts'
import { tokenFact } from '../../../libs/topics/facts/token-facts.ts'
import type { RateBook } from './rate-book.ts'

/** A topic of off-chain facts, and what becomes of the bytes of a message. */
export interface FactFold {
  readonly topic: string
  /** @param rates records the message's rates; omitted if it is only validated */
  readonly fold: (bytes: Uint8Array, position: Position, rates?: RateBook) => Decoded<FoldedFact>
}

interface FoldedFact {
  readonly rows: readonly TableRow[]
  /** Null if a fact does not name its chain: its topic belongs to one chain. */
  readonly chainId: number | null
}

export const factFolds: readonly FactFold[] = [
  factFold('token-facts', tokenFact, (fact, position, rates) => [
    ...tokenFactRows(fact, position),
    ...(rates?.rowsOf(fact, position) ?? []),
  ]),
  factFold('instance-facts', instanceFact, instanceFactRows),
  factFold('address-facts', addressFact, addressFactRows),
  factFold('coin-prices', coinPrice, coinPriceRows),
  factFold('signature-facts', signatureFact, signatureFactRows),
]

function factFold<S extends z.ZodType>(
  topic: string,
  schema: S,
  rowsOf: (fact: z.output<S>, position: Position, rates?: RateBook) => TableRow[],
): FactFold {
  return {
    topic,
    fold(bytes, position, rates) {
      const decoded = decodeMessage(schema, bytes)
      if ('invalid' in decoded) return decoded
      try {
        const rows = rowsOf(decoded.message, position, rates)
        return { message: { rows, chainId: chainOf(decoded.message) } }
      } catch (error) {
        // Strangers write facts: one that no row can hold must not end the stream.
        return { invalid: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

const chainOf = (fact: unknown): number | null =>
  typeof fact === 'object' && fact !== null && 'chainId' in fact && typeof fact.chainId === 'number'
    ? fact.chainId
    : null
