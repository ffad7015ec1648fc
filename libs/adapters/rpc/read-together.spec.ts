import { expect, it } from 'vitest'
import { compiledYul } from '../../../test/support/compiled.ts'
import { readerCode } from './read-together.ts'

it('has the code that its source compiles to', () => {
  const source = new URL('balance-reader.yul', import.meta.url)
  expect(readerCode).toBe(compiledYul(source, 'BalanceReader'))
})
