import { type CommandName, commandNames } from './setting.ts'

const imports = [
  'import abi',
  'import holders',
  'import labels',
  'import prices',
  'import signatures',
  'import tokens',
] as const
const keys = ['keys add', 'keys list', 'keys revoke'] as const
const deadLetters = [
  'dead-letters list',
  'dead-letters replay',
  'dead-letters acknowledge',
] as const
const topics = ['topics create', 'topics check', 'topics describe'] as const
const services = ['ingestor', 'enricher', 'projector', 'api'] as const
/** `verify` sends settings that the profile of the reading user may fix. */
const writers = ['projector', 'migrate', 'verify', 'drop'] as const
/** An ingestor asks once, before it publishes, which chain the tables are of. */
const readers = ['ingestor', 'repair', 'api', 'versions', 'lag', 'compare'] as const

/** Commands that take the same settings, by the word that `deploy/SETTINGS.md` has for them. */
export const commandClasses = {
  all: commandNames,
  serve: ['up', 'api'],
  service: services,
  folder: ['up', 'ingestor', 'enricher', 'projector', 'repair', 'state copy', 'audit'],
  source: ['up', 'ingestor', 'repair'],
  node: ['up', 'ingestor', 'enricher', 'repair', 'audit'],
  contracts: ['up', 'ingestor', 'repair', 'audit'],
  /** Which logs are the coin's decides what is published, and what pages are compared with. */
  coin: ['up', 'ingestor', 'repair', 'audit', 'api'],
  chain: ['ingestor', 'repair', 'projector', 'api', 'migrate', 'import prices', 'log import'],
  kafka: [
    ...services,
    ...topics,
    'drop',
    'lag',
    'repair',
    'log export',
    'log import',
    ...deadLetters,
    ...imports,
    ...keys,
  ],
  topic: [...services, ...topics],
  consumer: ['projector', 'drop', 'lag', 'dead-letters replay'],
  write: writers,
  read: readers,
  clickhouse: [...writers, ...readers],
  cluster: [...writers, 'api'],
  redis: ['api', 'projector'],
  report: [
    'migrate',
    'versions',
    'verify',
    'drop',
    'state copy',
    ...topics,
    'lag',
    'compare',
    'audit',
    ...deadLetters,
    ...imports,
    ...keys,
  ],
  sample: ['compare', 'audit', 'verify'],
  group: ['projector', 'verify', 'drop', 'state copy'],
  forced: ['repair', 'dead-letters replay', 'drop'],
  import: imports,
  'dead-letters': deadLetters,
  offline: [...imports, ...keys, 'log import'],
} as const satisfies Readonly<Record<string, readonly CommandName[]>>
