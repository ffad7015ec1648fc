import { Command, InvalidArgumentError } from 'commander'
import { benchClusterLatency } from './cluster-latency.ts'
import { benchClusterMemory } from './cluster-memory.ts'
import { benchPages } from './pages.ts'
import { benchProject } from './project.ts'
import { benchReadCold } from './read-cold.ts'

const count = (text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new InvalidArgumentError('a whole number above zero, please')
}

const counts = (text: string, given: readonly number[] | undefined): number[] => [
  ...(given ?? []),
  count(text),
]

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

program
  .command('cluster-latency')
  .description('from published to visible through the api, on real servers of this machine')
  .option('--blocks <count>', 'blocks that are counted', count, 1_000)
  .option('--transfers <count>', 'transfers a block', count, 400)
  .option('--interval <ms>', 'between two blocks', count, 500)
  .action((options: { blocks: number; transfers: number; interval: number }) =>
    benchClusterLatency({
      blocks: options.blocks,
      transfersPerBlock: options.transfers,
      intervalMs: options.interval,
    }),
  )

program
  .command('cluster-memory')
  .description('memory of each service through a replay, on real servers of this machine')
  .option('--transfers <count>', 'transfers to publish and to fold', count, 2_000_000)
  .action(({ transfers }: { transfers: number }) => benchClusterMemory(transfers))

program
  .command('read-cold')
  .description('first pages that no cache has, of uniform subjects, beside SELECT 1')
  .option('--transactions <count>', 'transactions of uniform addresses', count, 1_000_000)
  .option('--addresses <count>', 'addresses', count, 400_000)
  .option('--tokens <count>', 'tokens', count, 100_000)
  .option('--busy-rows <count>', 'rows of one address and one token', count, 1_000_000)
  .option('--pages <count>', 'pages a list and a number of clients', count, 1_000)
  .option('--clients <counts...>', 'numbers of clients', counts)
  .action(benchReadCold)

await program.parseAsync()
