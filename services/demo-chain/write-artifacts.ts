import { mkdirSync, writeFileSync } from 'node:fs'
import { compileContracts } from './compile-contracts.ts'
import { artifactsFolder } from './contract-names.ts'

mkdirSync(artifactsFolder, { recursive: true })
for (const [name, text] of compileContracts()) {
  writeFileSync(new URL(`${name}.json`, artifactsFolder), text)
}
