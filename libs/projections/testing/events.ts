import { type AbiEvent, encodeAbiParameters, parseAbi, toEventSelector } from 'viem'
import { type Address, hash, hex } from '../../chain/hex.ts'
import type { LogFact } from './facts.ts'

const eventOf = (signature: string): AbiEvent => {
  const signatures: readonly string[] = [signature]
  const [item] = parseAbi(signatures)
  if (item?.type === 'event') return item
  throw new Error(`no event: ${signature}`)
}

/** A log as a contract with this event writes it, by an encoder that is not the product's. */
export function eventLog(
  address: Address,
  signature: string,
  values: readonly (string | bigint | number | boolean)[],
): LogFact {
  const event = eventOf(signature)
  const given = event.inputs.map((input, at) => ({ input, value: values[at] }))
  const plain = given.filter(({ input }) => input.indexed !== true)
  const indexed = given.filter(({ input }) => input.indexed === true)
  return {
    address,
    topics: [
      hash(toEventSelector(event)),
      ...indexed.map(({ input, value }) =>
        hash(encodeAbiParameters([{ type: input.type }], [value])),
      ),
    ],
    data: hex(
      encodeAbiParameters(
        plain.map(({ input }) => ({ type: input.type })),
        plain.map(({ value }) => value),
      ),
    ),
  }
}
