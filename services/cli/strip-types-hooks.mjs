import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import swc from '@swc/wasm-typescript'

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const source = await readFile(fileURLToPath(url), 'utf8')
  const { code } = swc.transformSync(source, { mode: 'strip-only', module: true, filename: url })
  return { format: 'module', source: code, shortCircuit: true }
}
