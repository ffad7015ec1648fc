import { Command, InvalidArgumentError } from 'commander'
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

await program.parseAsync()
