import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts } from '../../deploy/print/compile-contracts.ts'
import { artifactsFolder } from '../../services/demo-chain/contract-names.ts'

test('the checked-in artifacts are what the contracts compile to', () => {
  const compiled = compileContracts()
  expect(compiled.size).toBeGreaterThan(0)
  for (const [name, text] of compiled) {
    expect(readFileSync(new URL(`${name}.json`, artifactsFolder), 'utf8'), name).toBe(text)
  }
})
