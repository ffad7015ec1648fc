/** Commands of `foldscan`; two words are a command and its subcommand. */
export const commandNames = [
  'up',
  'ingestor',
  'enricher',
  'projector',
  'api',
  'migrate',
  'topics create',
  'topics check',
  'topics describe',
  'topics schema',
  'lag',
  'repair',
  'dead-letters list',
  'dead-letters replay',
  'import abi',
  'import labels',
  'import prices',
  'import signatures',
] as const

export type CommandName = (typeof commandNames)[number]
