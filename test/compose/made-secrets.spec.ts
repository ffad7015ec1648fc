import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { madeSecrets } from './made-secrets.ts'

const secrets = madeSecrets()
const files = () => readdirSync(secrets.folder).sort()
const all = () => Object.fromEntries(files().map((name) => [name, secrets.read(name)]))

it('deploy/compose.sh makes each password once, in a folder that is closed to others', () => {
  const first = all()
  secrets.make()
  expect(all()).toEqual(first)
  expect(secrets.modeOf('.')).toBe(0o700)
  const passwords = files().filter((name) => name.endsWith('password'))
  expect(passwords).toEqual(['clickhouse-password', 'clickhouse-read-password', 'redis-password'])
  for (const name of passwords) expect(secrets.read(name)).toMatch(/^[0-9a-f]{48}$/)
  expect(new Set(passwords.map(secrets.read)).size).toBe(3)
})

it('deploy/compose.sh gives servers and services the same passwords', () => {
  const [writer, reader, cache] = [
    secrets.read('clickhouse-password'),
    secrets.read('clickhouse-read-password'),
    secrets.read('redis-password'),
  ]
  expect(secrets.read('clickhouse.env')).toBe(
    `CLICKHOUSE_PASSWORD=${writer}\nFOLDSCAN_CLICKHOUSE_READ_PASSWORD=${reader}\n`,
  )
  expect(secrets.read('redis.conf')).toBe(`requirepass ${cache}\n`)
  expect(secrets.read('redis-url')).toBe(`redis://:${cache}@redis:6379\n`)
})
