import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestOf, spliced, splicedConfirmations, templateOf } from './splices.ts'

const blocks = fc.array(fc.nat(2_000))
const templateWith = (all: readonly number[]) =>
  templateOf(JSON.stringify(all.map((block) => ({ text: 'ä', at: splicedConfirmations(block) }))))

test('a body at any head, made from that at any other, has the confirmations of its head', () => {
  fc.assert(
    fc.property(blocks, fc.option(fc.nat(20_000)), fc.nat(20_000), (all, before, head) => {
      const { bytes, confirmations } = templateWith(all)
      const template = { bytes, block: null }
      const from =
        before === null
          ? template
          : { bytes: spliced(template, confirmations, before), block: before }
      const body = JSON.parse(spliced(from, confirmations, head).toString())
      const confirmed = (block: number) => Math.max(1, head - block + 1)
      expect(body).toEqual(all.map((block) => ({ text: 'ä', at: confirmed(block) })))
    }),
  )
})

test('digests of templates differ where bytes or confirmations do', () => {
  const digests = [[], [1], [2], [1, 2], [2, 1], [1, 1]].map((all) => digestOf(templateWith(all)))
  expect(new Set(digests).size).toBe(digests.length)
  expect(digestOf(templateWith([7, 8]))).toBe(digestOf(templateWith([7, 8])))
})
