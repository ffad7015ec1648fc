import { readFileSync } from 'node:fs'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { z } from 'zod'
import { type Hex, hex } from '../../libs/chain/hex.ts'
import { artifactsFolder, type ContractName } from './contract-names.ts'

const artifactForm = z.object({
  abi: z.custom<Abi>((value) => Array.isArray(value)),
  bytecode: z.string().transform(hex),
})
type Artifact = z.output<typeof artifactForm>

const loaded = new Map<ContractName, Artifact>()

function artifact(name: ContractName): Artifact {
  const known = loaded.get(name)
  if (known) return known
  const text = readFileSync(new URL(`${name}.json`, artifactsFolder), 'utf8')
  const read = artifactForm.parse(JSON.parse(text))
  loaded.set(name, read)
  return read
}

/** Input of a call. @throws if the contract has no such function or the arguments do not fit. */
export function callOf(name: ContractName, functionName: string, args: readonly unknown[]): Hex {
  return hex(encodeFunctionData({ abi: artifact(name).abi, functionName, args }))
}

/** Input of a creation. */
export function creationOf(name: ContractName, args: readonly unknown[]): Hex {
  const { abi, bytecode } = artifact(name)
  return hex(encodeDeployData({ abi, bytecode, args }))
}
