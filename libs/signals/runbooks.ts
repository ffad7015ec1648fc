/** Pages for operators. A warning names its page; a test resolves every one of them. */
export const runbooks = {
  lostTail: 'deploy/runbooks/lost-tail.md',
  stuck: 'deploy/runbooks/stuck.md',
  deadLetters: 'deploy/runbooks/dead-letters.md',
  reorganisationTooDeep: 'deploy/runbooks/reorganisation-too-deep.md',
  rates: 'deploy/runbooks/rates.md',
  versionBehind: 'deploy/runbooks/version-behind.md',
  volumeTakenOver: 'deploy/runbooks/volume-taken-over.md',
  volumeCopies: 'deploy/runbooks/volume-copies.md',
  corruptFolder: 'deploy/runbooks/corrupt-folder.md',
  diskFull: 'deploy/runbooks/disk-full.md',
  nodeUnavailable: 'deploy/runbooks/node-unavailable.md',
  metadata: 'deploy/runbooks/metadata-not-fetched.md',
  blockRefused: 'deploy/runbooks/block-refused.md',
  unanswered: 'deploy/runbooks/unanswered-calls.md',
  kafkaUnavailable: 'deploy/runbooks/kafka-unavailable.md',
  clickhouseUnavailable: 'deploy/runbooks/clickhouse-unavailable.md',
  replicaBehind: 'deploy/runbooks/replica-behind.md',
  replicaReplaced: 'deploy/runbooks/replica-replaced.md',
  quorumLost: 'deploy/runbooks/quorum-lost.md',
  overload: 'deploy/runbooks/overload.md',
  limits: 'deploy/runbooks/limits.md',
  auditDiffers: 'deploy/runbooks/audit-differs.md',
  greatBlocks: 'deploy/runbooks/great-blocks.md',
  redisUnavailable: 'deploy/runbooks/redis-unavailable.md',
} as const

export type Runbook = (typeof runbooks)[keyof typeof runbooks]
