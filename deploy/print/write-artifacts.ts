import { mkdirSync, writeFileSync } from 'node:fs'
import { artifactsFolder } from '../../services/demo-chain/contract-names.ts'
import { compileContracts } from './compile-contracts.ts'

mkdirSync(artifactsFolder, { recursive: true })
for (const [name, text] of compileContracts()) {
  writeFileSync(new URL(`${name}.json`, artifactsFolder), text)
}
