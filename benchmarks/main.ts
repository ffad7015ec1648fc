import { Command, InvalidArgumentError } from 'commander'
import { benchPages } from './pages.ts'
import { benchProject } from './project.ts'

const count = (text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('a whole number above zero, please')
}

const program = new Command('bench').description('Ratios against bare parts, answers checked first')

program
  .command('project')
  .description('folding a replayed chain into the engine, beside decoding and inserting alone')
  .option('--transfers <count>', 'transfers to generate', count, 1_000_000)
  .option('--rounds <count>', 'folded and bare, in turn', count, 1)
  .action(({ transfers, rounds }: { transfers: number; rounds: number }) =>
    benchProject(transfers, rounds),
  )

program
  .command('pages')
  .description('pages of a busy address at every depth, beside the raw queries they need')
  .option('--rows <count>', 'rows of the address in each table', count, 1_000_000)
  .option('--pages <count>', 'pages a list', count, 100)
  .action(({ rows, pages }: { rows: number; pages: number }) => benchPages(rows, pages))

await program.parseAsync()
