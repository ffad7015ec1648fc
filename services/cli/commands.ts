import { type Command, command, type Word } from './command.ts'
import { startingLine } from './up/console-ui.ts'

const importedFiles: Word = { name: 'files', isOptional: false, isRepeated: true }

const keyName: Word = { name: 'name', isOptional: false, isRepeated: false }

const exportFolder: Word = { name: 'folder', isOptional: false, isRepeated: false }

const comparedSubjects: Word = { name: 'subjects', isOptional: true, isRepeated: true }

const topicName: Word = { name: 'topic', isOptional: false, isRepeated: false }

/** Everything that `foldscan` can do, in the order of `--help`. */
export const commands: readonly Command[] = [
  command(
    'up',
    {
      kind: 'service',
      about: 'index a chain and serve the API, all in one process',
      check: async (settings) => (await import('./process/check-start.ts')).checkUp(settings),
      greeting: ({ source }) => startingLine(source),
    },
    async () => (await import('./up/up.ts')).runUp,
  ),
  command(
    'ingestor',
    {
      kind: 'service',
      about: 'publish the blocks of a node to Kafka',
      check: async (settings) => (await import('./process/check-start.ts')).checkIngestor(settings),
    },
    async () => (await import('./serve/ingestor.ts')).serveIngestor,
  ),
  command(
    'projector',
    {
      kind: 'service',
      about: 'write the tables of one group from the messages on Kafka',
      check: async (settings) => (await import('./process/check-start.ts')).checkHealth(settings),
    },
    async () => (await import('./serve/projector.ts')).serveProjector,
  ),
  command(
    'enricher',
    {
      kind: 'service',
      about: 'fetch the metadata of NFTs, and publish it to Kafka',
      check: async (settings) => (await import('./process/check-start.ts')).checkEnricher(settings),
    },
    async () => (await import('./serve/enricher.ts')).serveEnricher,
  ),
  command(
    'api',
    {
      kind: 'service',
      about: 'serve the API from the tables',
      check: async (settings) =>
        (await import('./process/check-start.ts')).checkApiService(settings),
    },
    async () => (await import('./serve/api.ts')).serveApi,
  ),
  command(
    'migrate',
    { kind: 'task', about: 'create the tables on ClickHouse, or update them' },
    async () => (await import('./serve/migrate.ts')).migrateServer,
  ),
  command(
    'versions',
    { kind: 'task', about: 'print which versions of the groups are stored, and how far they are' },
    async () => (await import('./operate/versions.ts')).operateVersions,
  ),
  command(
    'verify',
    {
      kind: 'task',
      about: 'compare the rows of two versions of a group; exit code 2 if they differ',
    },
    async () => (await import('./operate/verify.ts')).operateVerify,
  ),
  command(
    'drop',
    { kind: 'task', about: 'remove the tables of a version that no release needs any more' },
    async () => (await import('./operate/drop.ts')).operateDrop,
  ),
  command(
    'state copy',
    { kind: 'task', about: "copy the volume of a group's projector, while it runs or not" },
    async () => (await import('./operate/copy-state.ts')).operateCopyState,
  ),
  command(
    'topics create',
    { kind: 'task', about: 'create the topics that are missing, then check all' },
    async () => (await import('./operate/topics.ts')).topicsCreate,
  ),
  command(
    'topics check',
    { kind: 'task', about: 'report topic settings that would lose or reject messages' },
    async () => (await import('./operate/topics.ts')).topicsCheck,
  ),
  command(
    'topics describe',
    { kind: 'task', about: 'print offsets, partitions and settings of each topic' },
    async () => (await import('./operate/topics.ts')).topicsDescribe,
  ),
  command(
    'topics schema',
    {
      kind: 'task',
      about: 'print the JSON Schema of a topic, for other publishers',
      words: [topicName],
    },
    async () => (await import('./operate/topics.ts')).topicsSchema,
  ),
  command(
    'lag',
    {
      kind: 'task',
      about: 'print how far each group is behind; exit code 2 if behind or old, 3 if stuck',
    },
    async () => (await import('./operate/lag.ts')).operateLag,
  ),
  command(
    'compare',
    {
      kind: 'task',
      about: 'print in which fields another explorer differs; exit code 2 if it does, 1 if unknown',
      words: [comparedSubjects],
    },
    async () => (await import('./operate/compare.ts')).operateCompare,
  ),
  command(
    'audit',
    { kind: 'task', about: 'compare what the API shows with the node; exit code 1 if it differs' },
    async () => (await import('./operate/audit.ts')).operateAudit,
  ),
  command(
    'repair',
    {
      kind: 'task',
      about: "publish what is missing in the log up to the node's head, then exit",
      check: async (settings) => (await import('./process/check-start.ts')).checkSource(settings),
    },
    async () => (await import('./operate/repair.ts')).operateRepair,
  ),
  command(
    'log export',
    {
      kind: 'task',
      about: 'write topic blocks to compressed files; goes on where it ended before',
      words: [exportFolder],
    },
    async () => (await import('./operate/log.ts')).logExport,
  ),
  command(
    'log import',
    {
      kind: 'task',
      about: 'publish an export to an empty topic; goes on where it ended before',
      words: [exportFolder],
    },
    async () => (await import('./operate/log.ts')).logImport,
  ),
  command(
    'dead-letters list',
    { kind: 'task', about: 'print the facts that could not be folded, and why' },
    async () => (await import('./operate/dead-letters.ts')).listDeadLetters,
  ),
  command(
    'dead-letters replay',
    { kind: 'task', about: 'publish dead letters again: one, or all that are valid now' },
    async () => (await import('./operate/dead-letters.ts')).replayDeadLetters,
  ),
  command(
    'dead-letters acknowledge',
    { kind: 'task', about: 'settle dead letters: `lag` and `list` no longer report them' },
    async () => (await import('./operate/dead-letters.ts')).acknowledgeDeadLetters,
  ),
  command(
    'import abi',
    { kind: 'task', about: 'publish ABIs of contracts from JSON or CSV', words: [importedFiles] },
    async () => (await import('./operate/import.ts')).importAbi,
  ),
  command(
    'import holders',
    {
      kind: 'task',
      about: 'name holders of tokens, whose balances are asked of the node, from JSON or CSV',
      words: [importedFiles],
    },
    async () => (await import('./operate/import.ts')).importTokenHolders,
  ),
  command(
    'import labels',
    {
      kind: 'task',
      about: 'publish names and labels of addresses from JSON or CSV',
      words: [importedFiles],
    },
    async () => (await import('./operate/import.ts')).importAddressLabels,
  ),
  command(
    'import prices',
    {
      kind: 'task',
      about: 'publish prices of the coin and of tokens from JSON or CSV',
      words: [importedFiles],
    },
    async () => (await import('./operate/import.ts')).importCoinPrices,
  ),
  command(
    'import signatures',
    {
      kind: 'task',
      about: 'publish signatures of functions and events from JSON or CSV',
      words: [importedFiles],
    },
    async () => (await import('./operate/import.ts')).importKnownSignatures,
  ),
  command(
    'import tokens',
    {
      kind: 'task',
      about: 'publish names, symbols and decimals of tokens from JSON or CSV',
      words: [importedFiles],
    },
    async () => (await import('./operate/import.ts')).importTokenNames,
  ),
  command(
    'keys add',
    {
      kind: 'task',
      about: 'add an API key with a limit of its own, and print it',
      words: [keyName],
    },
    async () => (await import('./operate/keys.ts')).addKey,
  ),
  command(
    'keys list',
    { kind: 'task', about: 'print the names and limits of all API keys' },
    async () => (await import('./operate/keys.ts')).listKeys,
  ),
  command(
    'keys revoke',
    { kind: 'task', about: 'revoke an API key; api processes follow at once', words: [keyName] },
    async () => (await import('./operate/keys.ts')).revokeKey,
  ),
]

/** Commands that have subcommands only. */
export const commandFamilies: Readonly<Record<string, string>> = {
  state: 'copy the state that the projector of a group keeps',
  topics: 'create, check or describe the topics on Kafka, or print the schema of one',
  log: 'write topic blocks to files, or publish them again',
  import: 'publish facts from off the chain from files',
  keys: 'add, list or revoke API keys, whose clients have limits of their own',
  'dead-letters': 'list the facts that could not be folded, publish them again, or settle them',
}
