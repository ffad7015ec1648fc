import type { BenchmarkResult } from './report/result.ts'

/** A number of the model, with where it comes from. */
export interface Constant {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly source: string
}

export interface Constants {
  readonly cachedUs: Constant
  readonly redisUs: Constant
  readonly coldApiMs: Constant
  readonly coldStoreMs: Constant
  /** Of pages that share no query with others. */
  readonly aloneApiMs: Constant
  readonly aloneStoreMs: Constant
  readonly foldUs: Constant
  readonly foldStoreUs: Constant
  readonly diskBytes: Constant
}

interface Measurement {
  readonly name: string
  readonly unit: string
  readonly benchmark: string
  readonly figure: string
  /** Where no result is saved. */
  readonly otherwise: number
}

const measurements: { readonly [K in keyof Constants]: Measurement } = {
  cachedUs: {
    name: 'API, a page from the memory of the process',
    unit: 'us of processor time',
    benchmark: 'read-hot',
    figure: 'ten endpoints, gzip, processor time of the server',
    otherwise: 75,
  },
  redisUs: {
    name: 'API, a page from Redis',
    unit: 'us of processor time',
    benchmark: 'read-warm',
    figure: 'ten endpoints, processor time of the server',
    otherwise: 150,
  },
  coldApiMs: {
    name: 'API, a page from the tables',
    unit: 'ms of processor time',
    benchmark: 'read-cold',
    figure: 'transactions of an address, 128 clients, processor time of the API',
    otherwise: 3,
  },
  coldStoreMs: {
    name: 'ClickHouse, a page from the tables',
    unit: 'ms of processor time',
    benchmark: 'read-cold',
    figure: 'transactions of an address, 128 clients, processor time of ClickHouse',
    otherwise: 8,
  },
  aloneApiMs: {
    name: 'API, a page from the tables that is read alone',
    unit: 'ms of processor time',
    benchmark: 'read-cold',
    figure: 'transactions of an address, 1 client, processor time of the API',
    otherwise: 8,
  },
  aloneStoreMs: {
    name: 'ClickHouse, a page from the tables that is read alone',
    unit: 'ms of processor time',
    benchmark: 'read-cold',
    figure: 'transactions of an address, 1 client, processor time of ClickHouse',
    otherwise: 25,
  },
  foldUs: {
    name: 'projectors, a transfer',
    unit: 'us of processor time',
    benchmark: 'fold',
    figure: 'processor time of the fold',
    otherwise: 104,
  },
  foldStoreUs: {
    name: 'ClickHouse, a transfer',
    unit: 'us of processor time',
    benchmark: 'fold',
    figure: 'processor time of ClickHouse',
    otherwise: 250,
  },
  diskBytes: {
    name: 'all tables, a transfer of real blocks with its transaction and logs',
    unit: 'bytes on disk',
    benchmark: 'bytes',
    figure: 'a transfer, with all other tables',
    otherwise: 2_000,
  },
}

/** Measured constants from saved results; an estimate, and marked as one, without a result. */
export function constantsFrom(results: ReadonlyMap<string, BenchmarkResult>): Constants {
  const one = (key: keyof Constants): Constant => {
    const { name, unit, benchmark, figure, otherwise } = measurements[key]
    const found = results.get(benchmark)?.figures.find((each) => each.name === figure)
    return found === undefined
      ? { name, unit, value: otherwise, source: `estimated: no result of ${benchmark}` }
      : { name, unit, value: found.value, source: `${benchmark}: ${figure}` }
  }
  return {
    cachedUs: one('cachedUs'),
    redisUs: one('redisUs'),
    coldApiMs: one('coldApiMs'),
    coldStoreMs: one('coldStoreMs'),
    aloneApiMs: one('aloneApiMs'),
    aloneStoreMs: one('aloneStoreMs'),
    foldUs: one('foldUs'),
    foldStoreUs: one('foldStoreUs'),
    diskBytes: one('diskBytes'),
  }
}

const assumption = (name: string, value: number, rest: { unit: string; source: string }) => ({
  name,
  value,
  ...rest,
})

const estimate = 'estimate: replace it with your own traffic'
const rule = 'rule of this model'

export const assumptions = {
  cachedShare: assumption('requests answered from memory', 0.9, {
    unit: 'share',
    source: estimate,
  }),
  redisShare: assumption('requests answered from Redis', 0.08, { unit: 'share', source: estimate }),
  responseBytes: assumption('response, compressed', 9_800, {
    unit: 'bytes',
    source: '35 kB of a real block with gzip: benchmarks/NOTES.md',
  }),
  load: assumption('cores in use at the peak', 0.5, { unit: 'share', source: rule }),
  coresPerPod: assumption('cores of an API pod', 4, { unit: 'cores', source: rule }),
  coresPerServer: assumption('cores of a ClickHouse server', 32, { unit: 'cores', source: rule }),
  gbitPerPod: assumption('network of an API pod', 5, { unit: 'Gbit/s', source: rule }),
  redisPerSecond: assumption('commands of a Redis server', 100_000, {
    unit: 'per s',
    source: 'usual figure of one thread',
  }),
  transfersPerSecond: assumption('transfers of the chain, at its peak', 100, {
    unit: 'per s',
    source: 'Mainnet: 400 a block, a block every 12 s, threefold',
  }),
  history: assumption('transfers of Mainnet', 5_000_000_000, {
    unit: 'transfers',
    source: 'order of magnitude; count those of your node',
  }),
  messageBytes: assumption('message of a block, compressed', 800, {
    unit: 'bytes a transfer',
    source: 'files of test/mainnet, gzip, by logs of transfers',
  }),
  replicas: assumption('replicas in ClickHouse', 3, { unit: 'copies', source: rule }),
  copies: assumption('replicas in Kafka', 3, { unit: 'copies', source: rule }),
  room: assumption('disk, of the bytes stored', 1.5, {
    unit: 'times',
    source: 'merges need as much as their largest parts',
  }),
} satisfies Readonly<Record<string, Constant>>

export type Assumptions = { readonly [K in keyof typeof assumptions]: Constant }

/** Where no two pages from the tables share a query. */
export const readAlone = (constants: Constants): Constants => ({
  ...constants,
  coldApiMs: constants.aloneApiMs,
  coldStoreMs: constants.aloneStoreMs,
})

export interface Serving {
  readonly requestsPerSecond: number
  readonly apiCores: number
  readonly apiPods: number
  readonly redisServers: number
  readonly storeCores: number
  readonly storeServers: number
  readonly gbitPerSecond: number
}

/** Pods and servers that answer so many requests a second, while the chain goes on. */
export function servingOf(
  requestsPerSecond: number,
  constants: Constants,
  given: Assumptions = assumptions,
): Serving {
  const share = (of: number) => requestsPerSecond * of
  const coldShare = Math.max(0, 1 - given.cachedShare.value - given.redisShare.value)
  const cached = share(given.cachedShare.value)
  const redis = share(given.redisShare.value)
  const cold = share(coldShare)
  const busyApi =
    (cached * constants.cachedUs.value + redis * constants.redisUs.value) / 1e6 +
    (cold * constants.coldApiMs.value) / 1e3
  const busyStore =
    (cold * constants.coldStoreMs.value) / 1e3 +
    (given.transfersPerSecond.value * constants.foldStoreUs.value * given.replicas.value) / 1e6
  const gbitPerSecond = (requestsPerSecond * given.responseBytes.value * 8) / 1e9
  const apiCores = busyApi / given.load.value
  const storeCores = busyStore / given.load.value
  // Each page that Redis lacks is looked up there and written.
  const commands = (redis + 2 * cold) / given.load.value
  return {
    requestsPerSecond,
    apiCores,
    // One more than needed, as one restarts during each release.
    apiPods:
      1 +
      Math.max(
        Math.ceil(apiCores / given.coresPerPod.value),
        Math.ceil(gbitPerSecond / given.load.value / given.gbitPerPod.value),
      ),
    redisServers: Math.max(2, Math.ceil(commands / given.redisPerSecond.value)),
    storeCores,
    storeServers: Math.max(
      given.replicas.value,
      Math.ceil(storeCores / given.coresPerServer.value),
    ),
    gbitPerSecond,
  }
}

export interface History {
  /** Of each ClickHouse replica, and of all; of all Kafka brokers. */
  readonly storeTerabytes: number
  readonly allStoreTerabytes: number
  readonly kafkaTerabytes: number
  /** Of one core of projectors and one server of ClickHouse, whichever takes longer. */
  readonly foldDays: number
  readonly projectorCoresPerServer: number
}

/** Disks for a chain's history, and the time to fold it. */
export function historyOf(constants: Constants, given: Assumptions = assumptions): History {
  const transfers = given.history.value
  const bytes = transfers * constants.diskBytes.value * given.room.value
  const foldSeconds = (transfers * constants.foldUs.value) / 1e6
  const serverSeconds =
    (transfers * constants.foldStoreUs.value) /
    1e6 /
    (given.coresPerServer.value * given.load.value)
  return {
    storeTerabytes: bytes / 1e12,
    allStoreTerabytes: (bytes * given.replicas.value) / 1e12,
    kafkaTerabytes:
      (transfers * given.messageBytes.value * given.copies.value * given.room.value) / 1e12,
    foldDays: Math.max(foldSeconds, serverSeconds) / 86_400,
    projectorCoresPerServer: foldSeconds / serverSeconds,
  }
}
