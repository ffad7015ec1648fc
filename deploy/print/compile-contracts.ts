import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'
import {
  type ContractName,
  contractFiles,
  contractNames,
} from '../../services/demo-chain/contract-names.ts'

const contractsFolder = new URL('../../services/demo-chain/contracts/', import.meta.url)

const compiler = z.object({
  compile: z.function({
    input: [z.string(), z.object({ import: z.custom<(path: string) => { contents: string }>() })],
    output: z.string(),
  }),
})

const compiled = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        abi: z.array(z.unknown()),
        evm: z.object({ bytecode: z.object({ object: z.string() }) }),
      }),
    ),
  ),
})

/**
 * Compiles all contracts, with what they import.
 * @returns the text of each artifact, `{abi, bytecode}` as JSON.
 * @throws if the compiler finds an error or a warning.
 */
export function compileContracts(): Map<ContractName, string> {
  const require = createRequire(import.meta.url)
  const solc = compiler.parse(require('solc'))
  const files = [...new Set(Object.values(contractFiles))]
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((file) => [file, { content: contractText(file) }])),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      // Without the hash of the sources in the code, the artifact tells only what the code does.
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const resolve = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output = compiled.parse(
    JSON.parse(solc.compile(JSON.stringify(input), { import: resolve })),
  )
  const complaints = (output.errors ?? []).map((error) => error.formattedMessage)
  if (complaints.length > 0) throw new Error(complaints.join('\n'))
  const artifacts = new Map<ContractName, string>()
  for (const name of contractNames()) {
    const made = output.contracts[contractFiles[name]]?.[name]
    if (!made) throw new Error(`${contractFiles[name]} holds no contract ${name}`)
    const artifact = { abi: made.abi, bytecode: `0x${made.evm.bytecode.object}` }
    artifacts.set(name, `${JSON.stringify(artifact)}\n`)
  }
  return artifacts
}

function contractText(file: string): string {
  return readFileSync(new URL(file, contractsFolder), 'utf8')
}
