import type { TestProject } from 'vitest/node'
import { startTestStack } from '../support/test-stack.ts'

/** One stack for all spec files of the project `cluster`: each has names of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const found = await startTestStack()
  if (found.form === 'none') {
    process.stdout.write(`\nSkipped the tests of the cluster: ${found.reason}\n\n`)
    project.provide('cluster', null)
    return async () => {}
  }
  const { kafka, clickhouse, redis } = found.stack
  project.provide('cluster', {
    kafka: kafka.address,
    clickhouse: clickhouse.address,
    redis: redis.address,
  })
  return () => found.stack.stop()
}
