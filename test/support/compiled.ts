import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Abi, encodeDeployData, encodeFunctionData } from 'viem'
import { z } from 'zod'
import { type Hex, hex } from '../../libs/chain/hex.ts'

const compiler = z.object({
  compile: z.function({ input: [z.string()], output: z.string() }),
})

const outputForm = z.object({
  contracts: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        abi: z.custom<Abi>((value) => Array.isArray(value)),
        evm: z.object({ bytecode: z.object({ object: z.string() }) }),
      }),
    ),
  ),
})

function compile(input: object) {
  const solc = compiler.parse(createRequire(import.meta.url)('solc'))
  return JSON.parse(solc.compile(JSON.stringify(input)))
}

const yulForm = z.object({
  contracts: z.object({
    source: z.record(
      z.string(),
      z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
    ),
  }),
})

/** The code of an object in Yul. @throws if the file does not compile or has no such object */
export function compiledYul(file: URL, name: string): Hex {
  const output = compile({
    language: 'Yul',
    sources: { source: { content: readFileSync(file, 'utf8') } },
    settings: {
      // Without PUSH0, which older chains lack.
      evmVersion: 'london',
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  })
  return hex(`0x${yulForm.parse(output).contracts.source[name]?.evm.bytecode.object}`)
}

/** A contract that a test has compiled. */
export interface Compiled {
  creation(args: readonly unknown[]): Hex
  call(functionName: string, args: readonly unknown[]): Hex
}

/** @throws if the file does not compile or has no such contract */
export function compiled(file: URL, name: string): Compiled {
  const input = {
    language: 'Solidity',
    sources: { source: { content: readFileSync(file, 'utf8') } },
    settings: {
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = outputForm.parse(compile(input))
  const made = output.contracts.source?.[name]
  if (!made) throw new Error(`no contract ${name} in ${file.href}`)
  const { abi } = made
  const bytecode = hex(`0x${made.evm.bytecode.object}`)
  return {
    creation: (args) => hex(encodeDeployData({ abi, bytecode, args })),
    call: (functionName, args) => hex(encodeFunctionData({ abi, functionName, args })),
  }
}
