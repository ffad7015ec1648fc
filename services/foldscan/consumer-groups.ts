/**
 * What watches the brokers sees each group of projectors under its name; `dimensions` has one for
 * each topic.
 */
export const consumerGroup = (prefix: string, group: string, topic: string): string =>
  topic === 'blocks' ? `${prefix}-${group}` : `${prefix}-${group}-${topic}`
