import type { Benchmark } from './benchmark.ts'
import { bytes } from './bytes.ts'
import { fold } from './fold.ts'
import { foldKafka } from './fold-kafka.ts'
import { greatBlock } from './great-block.ts'
import { growth } from './growth.ts'
import { latency } from './latency.ts'
import { memory } from './memory.ts'
import { observe } from './observe.ts'
import { overload } from './overload.ts'
import { pageCost } from './page-cost.ts'
import { pages } from './pages.ts'
import { peer } from './peer.ts'
import { readCold } from './read-cold.ts'
import { readDeep } from './read-deep.ts'
import { readHot } from './read-hot.ts'
import { readMixed } from './read-mixed.ts'
import { readWarm } from './read-warm.ts'
import { scan } from './scan.ts'
import { state } from './state.ts'

/** In the order in which they are run and printed. A new one is a row here. */
export const allBenchmarks: readonly Benchmark[] = [
  readHot,
  readWarm,
  readCold,
  readDeep,
  growth,
  readMixed,
  overload,
  scan,
  pages,
  pageCost,
  bytes,
  fold,
  foldKafka,
  greatBlock,
  latency,
  memory,
  state,
  observe,
  peer,
]
