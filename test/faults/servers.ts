import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StackAddresses } from '../../deploy/stack/environment.ts'
import { noSmallVolume, type SmallVolume, smallVolume } from '../../deploy/stack/small-volume.ts'
import { type Stack, startStack } from '../../deploy/stack/stack.ts'

/** Servers that may be hurt. */
export interface Servers {
  readonly stack: Stack
  /** That the broker's log lies on; null where `noVolume` gives the reason. */
  readonly volume: SmallVolume | null
  readonly noVolume: string | null
  /** Leaves nothing behind. */
  readonly stop: () => Promise<void>
}

/** All that the lives of a run write, some times over. */
const volumeMiB = 256

/**
 * Processes of this machine: containers cannot be stopped for a moment by everyone.
 * @throws also where nothing may be left out (`CI=true`) and no volume can be had
 */
export async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-faults-'))
  const { volume, noVolume } = volumeIn(folder)
  if (noVolume !== null && process.env.CI === 'true') {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`the log directory cannot be filled here: ${noVolume}`)
  }
  const remove = () => {
    volume?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
  const place = volume === null ? {} : { kafka: { logFolder: join(volume.folder, 'log') } }
  try {
    const stack = await startStack({ folder, ...place })
    return { stack, volume, noVolume, stop: () => stack.stop().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

function volumeIn(folder: string): Pick<Servers, 'volume' | 'noVolume'> {
  const refusal = noSmallVolume()
  if (refusal !== null) return { volume: null, noVolume: refusal }
  try {
    return { volume: smallVolume(join(folder, 'volume'), volumeMiB), noVolume: null }
  } catch (error) {
    return { volume: null, noVolume: `no volume can be mounted: ${String(error)}` }
  }
}

/** All of them run and answer again, whatever a fault that was cut short has left. */
export async function mended({ stack, volume }: Pick<Servers, 'stack' | 'volume'>): Promise<void> {
  volume?.relieve()
  const { kafka, clickhouse, redis } = stack
  for (const server of [kafka, clickhouse, redis]) {
    await server.resume()
    if (server.pid() === null) await server.restart()
  }
}

export const addressesOf = ({ kafka, clickhouse, redis }: Stack): StackAddresses => ({
  kafka: kafka.address,
  clickhouse: clickhouse.address,
  redis: redis.address,
})
