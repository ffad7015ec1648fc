export interface GroupNames {
  readonly kafkaGroupPrefix: string
  readonly kafkaTopicPrefix: string
}

/**
 * What watches the brokers sees each group of projectors under its name; `dimensions` has one for
 * each topic. It holds the prefix of the topics: projectors of two chains on the same brokers
 * would else be members of one group, of whom one chain's would read.
 */
export function consumerGroup(names: GroupNames, group: string, topic: string): string {
  const name = `${names.kafkaGroupPrefix}-${names.kafkaTopicPrefix}${group}`
  return topic === 'blocks' ? name : `${name}-${topic}`
}
