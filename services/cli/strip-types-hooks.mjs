import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

const options = {
  loader: 'ts',
  target: 'node20',
  sourcemap: 'inline',
  sourcesContent: false,
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const sourcefile = fileURLToPath(url)
  const { code } = await transform(await readFile(sourcefile, 'utf8'), { ...options, sourcefile })
  return { format: 'module', source: code, shortCircuit: true }
}
