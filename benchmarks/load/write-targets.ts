import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { knowledgeOf } from '../../test/oracle/knowledge.ts'
import { subjectsOf } from '../../test/oracle/subjects.ts'
import { mainnetMessages } from '../../test/support/mainnet-messages.ts'
import { mainnetFolder } from '../../test/support/mainnet-truth.ts'
import type { Targets } from './traffic.ts'

const subjectsMax = 400

/**
 * Writes real subjects of the blocks of `test/mainnet`:
 *
 *     node --import ./services/cli/strip-types.mjs benchmarks/load/write-targets.ts
 */
const numbers = readdirSync(mainnetFolder).flatMap((file) => /^\d+(?=\.json)/.exec(file) ?? [])
const messages = await mainnetMessages(numbers.map(Number).sort((a, b) => a - b))
const subjects = subjectsOf(knowledgeOf(messages))
const targets: Targets['subjects'] = {
  addresses: subjects.addresses.slice(0, subjectsMax),
  tokens: subjects.tokens.slice(0, subjectsMax),
  transactions: subjects.transactions.slice(0, subjectsMax),
}
await writeFile(new URL('./targets.json', import.meta.url), `${JSON.stringify(targets, null, 2)}\n`)
