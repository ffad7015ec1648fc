import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isLong, isWhole } from './test/support/run-length.ts'

const clusterSpecs = ['test/cluster/**/*.spec.ts', 'test/**/*.cluster.spec.ts']
/** Specs that start services run them compiled. */
const compiled = ['test/support/compiled-services.ts']
/** They take half an hour, and minutes to install their tools, so only TESTS=whole runs them. */
const openApiClientSpecs = ['test/openapi/generators.spec.ts', 'test/openapi/schemathesis.spec.ts']
/**
 * What starts servers, whole services or `up` again and again, folds large worlds, or builds
 * tools: `npm test` leaves it to CI, so that it takes minutes. It keeps a world, a life of the
 * services and one of `up`.
 */
const inCi = [
  'test/adapters/{check-kafka,kafka-broker-away}.cluster.spec.ts',
  'test/api/{connections-max,held-connections,late-replica}.spec.ts',
  'test/api/large-pages.cluster.spec.ts',
  'test/api/law-of-caches.spec.ts',
  'test/api/slow-clients.spec.ts',
  'test/api/status-page.spec.ts',
  'test/api/walks-by-rates.spec.ts',
  'test/audit.spec.ts',
  'test/benchmarks/**',
  'test/browser/docs.spec.ts',
  'test/cluster/local-stack.spec.ts',
  'test/cluster/stack.spec.ts',
  'test/compare.spec.ts',
  'test/demo-chain/demo-chain.spec.ts',
  'test/faults/faults.spec.ts',
  'test/faults/attack/attack.spec.ts',
  'test/image/**',
  'test/ingestor/following.spec.ts',
  'test/openapi/linters.spec.ts',
  'test/projector/{engine,great-blocks,groups,lost-tail,taken-over}.spec.ts',
  'test/queries/first-pages.spec.ts',
  'test/recommended-node.spec.ts',
  'test/services/{away,great-blocks,imported-facts,limits,log-files,lost-volume}.cluster.spec.ts',
  'test/services/{nft-metadata,operators,refusals,versions,whole-cluster}.cluster.spec.ts',
  'test/up/{attacked,audit-job,damage,demo,frozen-engine,full-disk,import,keys,kills,log-export}.spec.ts',
  'test/up/{nft-metadata,prices,rates,untracked-folder}.spec.ts',
  'test/walks-of-demo.spec.ts',
]
const leftOut = [...(isLong ? [] : inCi), ...(isWhole ? [] : openApiClientSpecs)]
const kubernetesSpecs = ['test/kubernetes/*.kubernetes.spec.ts']

const kubernetes = {
  test: {
    name: 'kubernetes',
    sequence: { groupOrder: 2 },
    include: kubernetesSpecs,
    globalSetup: ['test/kubernetes/global-setup.ts'],
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
    // Each spec has a whole release, whose memory is measured.
    maxWorkers: 1,
  },
}

/** One group: while a long file of one project runs, files of the others keep a core busy. */
const processes = { sequence: { groupOrder: 1 }, maxWorkers: isLong ? 2 : 3 }
/** A worker loads a module once, not once a file, which takes longer than many of them. */
const shared = { ...processes, isolate: false }
/** They replace modules and methods of them. */
const mocking = ['test/api/law-of-caches.spec.ts']

/**
 * Spec files that take more than about twenty seconds, the longest first: one
 * of them that starts last leaves a core idle until it ends.
 */
const longest = [
  'test/openapi/schemathesis.spec.ts',
  'test/openapi/generators.spec.ts',
  'test/faults/faults.spec.ts',
  'test/benchmarks/quick-form.spec.ts',
  'test/services/whole-cluster.cluster.spec.ts',
  'test/faults/attack/attack.spec.ts',
  'test/walks-of-demo.spec.ts',
  'test/audit.spec.ts',
  'test/up/kills.spec.ts',
  'test/recommended-node.spec.ts',
  'test/up/full-disk.spec.ts',
  'test/projector/great-blocks.spec.ts',
  'test/services/away.cluster.spec.ts',
  'test/services/operators.cluster.spec.ts',
  'test/cluster/local-stack.spec.ts',
  'test/services/life.cluster.spec.ts',
  'test/services/refusals.cluster.spec.ts',
  'test/services/versions.cluster.spec.ts',
  'test/up/audit-job.spec.ts',
  'test/up/demo.spec.ts',
  'test/browser/docs.spec.ts',
  'test/openapi/linters.spec.ts',
  'test/openapi/examples.spec.ts',
  'test/walks-of-mainnet.spec.ts',
  'test/mainnet-answers.spec.ts',
  'test/services/great-blocks.cluster.spec.ts',
  'test/demo-chain/demo-chain.spec.ts',
  'test/projector/engine.spec.ts',
  'test/adapters/kafka-broker-away.cluster.spec.ts',
  'test/api/law-of-caches.spec.ts',
]

/**
 * Project by project, as a worker that goes on with a file of another project is a new one, which
 * loads all modules again; within a project the longest files come first.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort(
      (a, b) => groupOf(a) - groupOf(b) || projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b),
    )
  }
}

/** The shortest files come last: those of `whole`. */
const projectOrder = ['pure', 'mocking', 'faults', 'helm', 'cluster', 'whole']
const projectOf = ({ project }: TestSpecification) =>
  projectOrder.indexOf(project.config.name ?? '')

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder

function rankOf({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((path) => moduleId.endsWith(path))
  return at < 0 ? longest.length : at
}

/**
 * `pure` is milliseconds a test and no process; `whole` runs on the real engine, as does `mocking`;
 * `cluster` on real servers that its specs share; `helm` renders the chart; `faults` hurts servers
 * of its own.
 * `kubernetes` needs a Docker daemon, and is there for `npm run test:kubernetes` alone.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'pure',
          sequence: { groupOrder: 0 },
          // Pure tests share nothing that changes: a module is loaded once, not once a file.
          pool: 'threads',
          isolate: false,
          // On two cores one worker alone would be taken, and wait for each file's translation.
          maxWorkers: 2,
          include: [
            'libs/**/*.spec.ts',
            'services/**/*.spec.ts',
            'benchmarks/**/*.spec.ts',
            'deploy/**/*.spec.ts',
            'test/tidy/**/*.spec.ts',
          ],
          // They take milliseconds; on a machine that is busy with other things, seconds.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'whole',
          ...shared,
          include: ['test/**/*.spec.ts'],
          exclude: [
            'test/tidy/**',
            'test/faults/**',
            'test/helm/**',
            ...mocking,
            ...clusterSpecs,
            ...kubernetesSpecs,
            ...leftOut,
          ],
          globalSetup: [...compiled, 'test/support/shared-engine.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'mocking',
          ...processes,
          include: mocking,
          exclude: leftOut,
          globalSetup: compiled,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'cluster',
          ...shared,
          include: clusterSpecs,
          exclude: leftOut,
          globalSetup: [...compiled, 'test/cluster/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'helm',
          ...processes,
          include: ['test/helm/**/*.spec.ts'],
          // Helm is built once, before the first file is collected.
          globalSetup: ['test/helm/global-setup.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'faults',
          ...processes,
          include: ['test/faults/**/*.spec.ts'],
          exclude: leftOut,
          globalSetup: compiled,
        },
      },
      ...(process.env.KUBERNETES === 'containers' ? [kubernetes] : []),
    ],
  },
})
