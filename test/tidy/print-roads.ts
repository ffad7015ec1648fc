// Prints how many files a page's road has, cold and hot, and which:
//
//     node --import ./services/cli/strip-types.mjs test/tidy/print-roads.ts [--names]
import { roads } from './roads.ts'

for (const { path, cold, hot, isShown } of await roads()) {
  process.stdout.write(
    `${cold.length} cold, ${hot.length} hot${isShown ? '' : ', empty'}: ${path}\n`,
  )
  if (!process.argv.includes('--names')) continue
  process.stdout.write(`  ${cold.join('\n  ')}\nhot:\n  ${hot.join('\n  ')}\n`)
}
