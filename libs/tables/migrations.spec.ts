import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { migrationsOf } from './migrate.ts'

/** SHA-256 of the text of each migration that has landed; a new one is added with its own line. */
const landed: Readonly<Record<string, string>> = {
  '0001-first-tables': 'e01e10e3c08da495e7802f6f805e4e930df27f37ef9e9a59c3658013d2ebad11',
  '0002-deployment': '4092fd536582604388f9bc783a44fdc67db0ed35825e504808cadc955eb05b15',
  '0003-known-from': '4898113ffe9af3c0092834c13ce04cee7f6f4a3aaf3c9b0ae9f22f0f078eb4b8',
  '0004-signatures': '05d5072b6d67ab22b44a8602dcbf9c0185e689d55d1c4db0f1340807dd77b3b6',
  '0005-log-hash': 'd2de053016989b6a491b127762e2fba55b80d3adf46eaf54de46c1b14ac49f4c',
  '0006-transfer-recipient': '8c20293b88d556ccea882b2ed248e061933c582f89d55d2fcfe24fc5d447ef8d',
  '0007-token-rates': 'c06950971ec84e8e97a1b64683352806ba8b683f9a86e92b847ef9c49115d640',
}

test('a migration that has landed is never edited: tables out there were made by it', () => {
  const digests = migrationsOf().map(({ name, sql }) => [
    name,
    createHash('sha256').update(sql).digest('hex'),
  ])
  expect(Object.fromEntries(digests)).toEqual(landed)
})
