import { join } from 'node:path'
import { type ClickhouseServerAddress, startClickhouse } from './clickhouse.ts'
import { type KafkaAddress, type KafkaOptions, startKafka } from './kafka.ts'
import { type RedisAddress, startRedis } from './redis.ts'
import type { Server } from './server.ts'

/** All servers that a cluster of ours needs. */
export interface Stack {
  readonly kafka: Server<KafkaAddress>
  readonly clickhouse: Server<ClickhouseServerAddress>
  readonly redis: Server<RedisAddress>
  /** Stops all, whatever state they are in. */
  stop(): Promise<void>
}

export interface StackOptions {
  /** Holds everything; a folder that was used before is opened again. */
  readonly folder: string
  readonly kafka?: Omit<KafkaOptions, 'folder'>
}

/** Three servers on 127.0.0.1, each a process that ends with this one. @throws if one does not */
export async function startStack({ folder, kafka }: StackOptions): Promise<Stack> {
  const starting = {
    kafka: startKafka({ folder: join(folder, 'kafka'), ...kafka }),
    clickhouse: startClickhouse({ folder: join(folder, 'clickhouse') }),
    redis: startRedis({ folder: join(folder, 'redis') }),
  }
  const settled = await Promise.allSettled(Object.values(starting))
  const stop = async () => {
    const started = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    await Promise.all(started.map((server) => server.stop()))
  }
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) {
    await stop()
    throw failed.reason
  }
  return {
    kafka: await starting.kafka,
    clickhouse: await starting.clickhouse,
    redis: await starting.redis,
    stop,
  }
}
