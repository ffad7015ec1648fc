import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import {
  type ApiKey,
  apiKey,
  apiKeysMax,
  hashOfKey,
  newKey,
} from '../../../libs/topics/api-keys.ts'
import { decodeMessage, encodeMessage } from '../../../libs/topics/codec.ts'
import type { Run } from '../command.ts'
import { quoted } from './import/imported.ts'
import { openFolderLog } from './import.ts'
import { openClusterLog, print, runTask, textTable } from './run-task.ts'

const topic = 'api-keys'
const readLimit = { messagesMax: 1_000, bytesMax: 1024 * 1024 }

/** `foldscan keys add NAME`: prints the key, which is stored nowhere else. */
export const addKey: Run<'keys add'> = (settings, { log, words }) => {
  const name = nameOf(words)
  return withKeys(settings, log, async (eventLog, keys) => {
    if (keys.has(name)) {
      throw new StartupError(
        `There is a key named ${name}: revoke it first, or choose another name.`,
      )
    }
    if (keys.size >= apiKeysMax)
      throw new StartupError(`There are ${apiKeysMax} keys, the maximum.`)
    const key = newKey()
    const { keyLimit: limit } = settings
    await append(eventLog, { name, time: now(), hash: hashOfKey(key), limit })
    if (settings.json) return await print(JSON.stringify({ name, limit, key }))
    // Alone on stdout: a script takes it from there.
    await print(key)
    process.stderr.write(aboutKey(name, limit))
  })
}

const aboutKey = (name: string, limit: number): string =>
  `added the key ${name}: ${limit} requests per window\n` +
  'It is shown only now. Clients send it as header x-api-key, or as query parameter apikey.\n'

/** `foldscan keys list` */
export const listKeys: Run<'keys list'> = (settings, { log }) =>
  withKeys(settings, log, async (_log, keys) => {
    const rows = [...keys.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    if (settings.json) {
      for (const { name, limit, time } of rows) {
        await print(JSON.stringify({ name, limit, added: dateOf(time) }))
      }
      return
    }
    const cells = rows.map(({ name, limit, time }) => [name, limit, dateOf(time)])
    await print(rows.length === 0 ? 'no keys' : textTable(['name', 'limit', 'added'], cells))
  })

/** `foldscan keys revoke NAME` */
export const revokeKey: Run<'keys revoke'> = (settings, { log, words }) => {
  const name = nameOf(words)
  return withKeys(settings, log, async (eventLog, keys) => {
    const key = keys.get(name)
    if (key === undefined) throw new StartupError(`There is no key named ${name}.`)
    await append(eventLog, { ...key, time: now(), hash: null })
    await print(settings.json ? JSON.stringify({ name, revoked: true }) : `revoked the key ${name}`)
  })
}

function nameOf([name = '']: readonly string[]): string {
  if (apiKey.shape.name.safeParse(name).success) return name
  throw new StartupError(
    `The name of a key has 1 to 64 letters, digits, \`.\`, \`_\` or \`-\`: ${quoted(name)}.`,
  )
}

const withKeys = (
  settings: SettingsOf<'keys list'>,
  log: Log,
  work: (eventLog: EventLog, keys: ReadonlyMap<string, ApiKey>) => Promise<void>,
): Promise<number> =>
  runTask(log, async (task) => {
    const eventLog = await (settings.intoDataDir === null
      ? openClusterLog(task, { settings, topics: [topic] })
      : openFolderLog(task, settings.intoDataDir))
    await work(eventLog, await keysIn(eventLog))
    return 0
  })

/** By name, those that are not revoked. */
async function keysIn(eventLog: EventLog): Promise<ReadonlyMap<string, ApiKey>> {
  const keys = new Map<string, ApiKey>()
  const end = await eventLog.end(topic)
  let offset = await eventLog.begin(topic)
  while (offset < end) {
    const messages = await eventLog.read(topic, offset, readLimit)
    if (messages.length === 0) break
    for (const { offset: at, value } of messages) {
      offset = at + 1
      const decoded = decodeMessage(apiKey, value)
      if (!('message' in decoded)) continue
      const { message } = decoded
      if (message.hash === null) keys.delete(message.name)
      else keys.set(message.name, message)
    }
  }
  return keys
}

async function append(eventLog: EventLog, key: ApiKey): Promise<void> {
  await eventLog.append(topic, [{ key: key.name, value: encodeMessage(key) }])
}

const now = () => Math.floor(Date.now() / 1_000)
const dateOf = (seconds: number) => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`
