import type { EventLog, StoredMessage } from '../../../libs/ports/event-log.ts'
import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { deploymentOf } from '../../../libs/tables/deployment.ts'
import type { ServiceContext } from './serve.ts'
import { readingAddress, withTables } from './servers/clickhouse-access.ts'
import { NotReady, waitUntilReady } from './wait-until-ready.ts'

interface ChainToConfirm {
  readonly settings: SettingsOf<'ingestor' | 'repair'>
  /** Chain id of the source. */
  readonly sourceChainId: number
  readonly eventLog: EventLog
}

/** For tables whose chain is known without them, too. */
const shortQueryTimeoutMs = 2_000

/**
 * Compares the chain of the source with that of the setting, of topic `blocks` and of the tables:
 * what was published to a topic cannot be taken back. If neither setting nor topic has a chain, the
 * tables must have one.
 *
 * @throws StartupError for another chain; NotReady, StoreUnavailable while none of them has a chain
 */
export async function confirmChain({ settings, sourceChainId, eventLog }: ChainToConfirm) {
  const { chainId, kafkaTopicPrefix } = settings
  const refuseOther = (chain: number | null, owner: string, remedy: string) => {
    if (chain === null || chain === sourceChainId) return
    throw new StartupError(
      `The source is of chain ${sourceChainId}, ${owner} of chain ${chain}: check --source, or ${remedy}.`,
    )
  }
  refuseOther(chainId, '--chain-id is', 'correct --chain-id')
  const inTopic = await chainInTopic(eventLog)
  refuseOther(inTopic, `topic ${kafkaTopicPrefix}blocks is`, 'choose another --kafka-topic-prefix')
  const inTables = await chainInTables(settings, chainId !== null || inTopic !== null)
  const { clickhouseDatabase } = settings
  refuseOther(
    inTables,
    `the tables of database ${clickhouseDatabase} are`,
    'choose another --clickhouse-database',
  )
}

/** Null where the topic is empty, or its first message has no chain id for its key. */
export async function chainInTopic(eventLog: EventLog): Promise<number | null> {
  const begin = await eventLog.begin('blocks')
  const [first] = await eventLog.read('blocks', begin, { messagesMax: 1, bytesMax: 1 })
  return first !== undefined && /^\d{1,15}$/.test(first.key) ? Number(first.key) : null
}

async function chainInTables(
  settings: ChainToConfirm['settings'],
  isOptional: boolean,
): Promise<number | null> {
  const address = readingAddress(settings)
  const queryTimeoutMs = isOptional ? shortQueryTimeoutMs : address.queryTimeoutMs
  try {
    return await withTables({ ...address, queryTimeoutMs }, claimedChain)
  } catch (error) {
    if (isOptional) return null
    throw error instanceof StoreMissing ? unnamed(settings.clickhouseDatabase) : error
  }
}

/** @throws StoreMissing if the tables do not exist or are not claimed */
async function claimedChain(store: Store): Promise<number> {
  const deployment = await deploymentOf(store)
  if (deployment === null) throw new StoreMissing('the tables are not claimed by a deployment')
  return deployment.chainId
}

const unnamed = (database: string) =>
  new NotReady(
    'no-tables',
    `topic blocks is empty, and database ${database} does not name the chain to publish either: ` +
      'run `foldscan migrate` first, or name the chain with --chain-id',
  )

const topic = 'blocks'

/**
 * The log of the expected chain: compares the key of the first message in `blocks`, now or as soon
 * as there is one.
 * @throws StartupError, here or from `read`; the service then ends, although readers would retry
 */
export async function logWithChainCheck(
  context: Pick<ServiceContext, 'log' | 'health' | 'signal' | 'components'>,
  eventLog: EventLog,
  chainId: number,
): Promise<EventLog> {
  let isSure = false
  const look = async () => {
    const begin = await eventLog.begin(topic)
    const [first] = await eventLog.read(topic, begin, { messagesMax: 1, bytesMax: 1 })
    if (first !== undefined) refuseOther(first, chainId)
    isSure = first !== undefined
  }
  await waitUntilReady(context, look)
  if (isSure) return eventLog
  let end: (refusal: unknown) => void = () => {}
  const failed = new Promise<unknown>((resolve) => {
    end = resolve
  })
  context.components.add({ name: 'chain of the log', stop: async () => {}, failed })
  return {
    append: (to, messages) => eventLog.append(to, messages),
    begin: (of) => eventLog.begin(of),
    end: (of) => eventLog.end(of),
    waitBeyond: (of, offset, signal) => eventLog.waitBeyond(of, offset, signal),
    close: () => eventLog.close(),
    async read(from, offset, limit) {
      const messages = await eventLog.read(from, offset, limit)
      if (isSure || messages.length === 0) return messages
      await look().catch((error: unknown) => {
        if (error instanceof StartupError) end(error)
        throw error
      })
      return messages
    },
  }
}

function refuseOther({ key }: StoredMessage, chainId: number): void {
  // A key that is not a number is ignored; the content of the message is validated when it is
  // folded.
  if (!/^\d+$/.test(key) || key === String(chainId)) return
  throw new StartupError(
    `Topic ${topic} holds chain ${key}, the tables are of chain ${chainId}: ` +
      'give this deployment topics of its own with --kafka-topic-prefix.',
  )
}
