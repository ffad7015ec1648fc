import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const source = await readFile(fileURLToPath(url), 'utf8')
  const { code } = await transform(source, { loader: 'ts', target: 'node20', tsconfigRaw })
  return { format: 'module', source: code, shortCircuit: true }
}
