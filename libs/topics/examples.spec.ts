import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { unknownExtras, unknownHeader, unknownPlace } from '../chain/node-fields.ts'
import { apiKey } from './api-keys.ts'
import { blocksMessage } from './blocks.ts'
import { announcement } from './changes.ts'
import { addressFact, addressFactKey } from './facts/address-facts.ts'
import { coinPrice, coinPriceKey } from './facts/coin-prices.ts'
import { instanceFact, instanceFactKey } from './facts/instance-facts.ts'
import { signatureFact, signatureFactKey } from './facts/signature-facts.ts'
import { tokenFact, tokenFactKey } from './facts/token-facts.ts'
import { namedHolder, namedHolderKey } from './holders.ts'

/** Every example is a message as it stands on its topic, for those who publish their own. */
const examplesOf = (topic: string): unknown[] => {
  const file = new URL(`./examples/${topic}.json`, import.meta.url)
  return z.array(z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')))
}

const wire = (message: unknown): unknown =>
  JSON.parse(
    JSON.stringify(message, (_name, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
  )

const topics: [string, z.ZodType][] = [
  ['blocks', blocksMessage],
  ['changes', announcement],
  ['token-facts', tokenFact],
  ['instance-facts', instanceFact],
  ['address-facts', addressFact],
  ['coin-prices', coinPrice],
  ['signature-facts', signatureFact],
  ['holders', namedHolder],
  ['api-keys', apiKey],
]

describe.each(topics)('examples of %s', (topic, schema) => {
  test('are unchanged after decoding and encoding', () => {
    const examples = examplesOf(topic)
    expect(examples.length).toBeGreaterThan(1)
    for (const example of examples) expect(wire(schema.parse(example))).toEqual(example)
  })

  test('are refused where any field is missing or of another type', () => {
    for (const example of examplesOf(topic)) {
      for (const spoiled of spoiledForms(example)) {
        expect(schema.safeParse(spoiled).success, JSON.stringify(spoiled)).toBe(false)
      }
    }
  })
})

/** The message without one of its own fields, and with each made something that no field is. */
function spoiledForms(example: unknown): unknown[] {
  const fields = z.record(z.string(), z.unknown()).parse(example)
  return Object.keys(fields).flatMap((name) => {
    const { [name]: _missing, ...rest } = fields
    const spoiled = { ...rest, [name]: [-1.5] }
    // The first messages had no version.
    return name === 'version' ? [spoiled] : [rest, spoiled]
  })
}

describe('messages of blocks of version 1', () => {
  const before = examplesOf('blocks.version-1')

  test('are read, with null for all that they lack', () => {
    expect(before.length).toBeGreaterThan(1)
    for (const example of before) {
      const message = blocksMessage.parse(example)
      expect(message.version).toBe(1)
      const { version: _added, ...read } = fieldsOf(wire(message))
      expect(withNulls(example, read)).toEqual(read)
      if ('block' in message && typeof message.block === 'object') {
        const { block } = message
        expect(block).toMatchObject(unknownHeader)
        for (const transaction of block.transactions) {
          expect(transaction).toMatchObject(unknownExtras)
          for (const call of transaction.calls ?? []) expect(call).toMatchObject(unknownPlace)
          for (const { signature } of transaction.authorizations) expect(signature).toBeNull()
        }
      }
    }
  })

  test('lose nothing that they said: no field was removed, renamed or given another form', () => {
    for (const example of before) {
      expect(wire(blocksMessage.parse(example))).toMatchObject(fieldsOf(example))
    }
  })

  test('a later version is read too, without what is not known of it', () => {
    for (const example of examplesOf('blocks')) {
      const later = { ...fieldsOf(example), version: 99, addedLater: { deep: [1] } }
      const read = fieldsOf(wire(blocksMessage.parse(later)))
      expect(read).toEqual({ ...fieldsOf(example), version: 99 })
    }
  })
})

const fieldsOf = (value: unknown) => z.record(z.string(), z.unknown()).parse(value)

/** The old message with null for each field that only the new one has. */
function withNulls(old: unknown, read: unknown): unknown {
  if (Array.isArray(old) && Array.isArray(read)) {
    return old.map((each, at) => withNulls(each, read[at]))
  }
  if (typeof old !== 'object' || old === null || Array.isArray(old)) return old
  const [before, now] = [fieldsOf(old), fieldsOf(read)]
  const names = Object.keys(now)
  return Object.fromEntries(names.map((name) => [name, withNulls(before[name] ?? null, now[name])]))
}

describe('keys of facts', () => {
  test('a fact lies under its subject and kind', () => {
    const keys = [
      ...examplesOf('token-facts').map((fact) => tokenFactKey(tokenFact.parse(fact))),
      ...examplesOf('instance-facts').map((fact) => instanceFactKey(instanceFact.parse(fact))),
      ...examplesOf('address-facts').map((fact) => addressFactKey(addressFact.parse(fact))),
      ...examplesOf('coin-prices').map((fact) => coinPriceKey(coinPrice.parse(fact))),
      ...examplesOf('signature-facts').map((fact) => signatureFactKey(signatureFact.parse(fact))),
      ...examplesOf('holders').map((fact) => namedHolderKey(namedHolder.parse(fact))),
    ]
    expect(keys).toEqual([
      '0x000000000000000000000000000000000000c0de:market',
      '0x000000000000000000000000000000000000c0de:correction',
      '0x000000000000000000000000000000000000c0de:words',
      '0x000000000000000000000000000000000000c0de:icon',
      'hour',
      `0x0000000000000000000000000000000000000721:${(1n << 256n) - 1n}`,
      '0x0000000000000000000000000000000000000721:0',
      '0x00000000000000000000000000000000000a11ce:label',
      '0x00000000000000000000000000000000000a11ce:tags',
      '0x00000000000000000000000000000000000a11ce:ens',
      '0x000000000000000000000000000000000000c0de:abi',
      '0x000000000000000000000000000000000000c0de:proxy',
      '0x000000000000000000000000000000000000c0de:verification',
      '1:now',
      '1:2023-04-09',
      '0xa9059cbb:transfer(address,uint256)',
      '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1:Sync(uint112,uint112)',
      '0x000000000000000000000000000000000000c0de:0x00000000000000000000000000000000000a11ce',
      '0x0000000000000000000000000000000000001155:0x00000000000000000000000000000000000a11ce:7',
    ])
  })
})
