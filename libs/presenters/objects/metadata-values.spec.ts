import { expect, test } from 'vitest'
import { DecodeBudget, pageMetadataValuesMax } from '../abi/decode-budget.ts'
import { instanceFactsOf } from '../facts.ts'
import { anInstance } from '../testing/rows.ts'
import { countValues, hasFewValues, instanceMetadataValuesMax } from './metadata-values.ts'

test('counts commas between values only', () => {
  expect(hasFewValues('{"a":"1,2,3,4","b":[1,2]}', 2)).toBe(true)
  expect(hasFewValues('{"a":"1,2,3,4","b":[1,2]}', 1)).toBe(false)
  expect(hasFewValues(JSON.stringify({ a: '",\\",\\\\', b: ',' }), 1)).toBe(true)
  expect(hasFewValues('{"a":"never ends, never', 0)).toBe(true)
  expect(hasFewValues('', 0)).toBe(true)
})

test('shows nothing of a document of too many values', () => {
  const { token, tokenId, position, isDeleted } = anInstance()
  const media = { imageUrl: 'ipfs://a', animationUrl: null, externalUrl: null, mediaType: null }
  const of = (members: number) => {
    const entries = Array.from({ length: members }, (_, at) => [`m${at}`, 'a'])
    const fact = JSON.stringify({ metadata: Object.fromEntries(entries), media })
    return instanceFactsOf({ token, tokenId, position, isDeleted, fact })
  }
  expect(of(100).metadata).toMatchObject({ m99: 'a' })
  expect(of(instanceMetadataValuesMax + 10)).toMatchObject({ metadata: null })
})

test('counts the metadata of a page together', () => {
  const budget = new DecodeBudget()
  const document = { a: [1, { b: 'text' }], c: null }
  expect(countValues(document)).toBe(6)
  const shown = Array.from({ length: pageMetadataValuesMax }, () => budget.useMetadata(6))
  expect(shown.filter(Boolean)).toHaveLength(Math.floor(pageMetadataValuesMax / 6))
})
