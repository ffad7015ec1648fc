/** What `foldscan` can be told to do. Each setting says which of these take it. */
export const commandNames = [
  'up',
  'ingestor',
  'enricher',
  'projector',
  'api',
  'migrate',
  'topics',
  'lag',
  'repair',
  'dead-letters',
] as const

export type CommandName = (typeof commandNames)[number]
