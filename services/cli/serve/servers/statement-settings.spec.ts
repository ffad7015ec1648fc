import { expect, test } from 'vitest'
import { ofStatements } from '../../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { replicaStates } from '../../../../libs/tables/replica-states.ts'

test('the values that a poll of replicas sets are among those that a start asks for', async () => {
  const sent: string[] = []
  const store = {
    async query(sql: string) {
      sent.push(sql)
      return Buffer.alloc(0)
    },
  }
  const { signal } = new AbortController()
  await replicaStates(store, { cluster: 'main', database: 'any', signal })
  const [, clause = ''] = /\nSETTINGS (.+)$/.exec(sent[0] ?? '') ?? []
  const asked = ofStatements.flatMap((one) => Object.entries(one).map((pair) => pair.join(' = ')))
  for (const setting of clause.split(', ')) expect(asked).toContain(setting)
})
