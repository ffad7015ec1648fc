import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** One more than CI has cores: specs of a cluster wait for its servers half of their time. */
const workersOfServers = 3
const clusterSpecs = ['test/cluster/**/*.spec.ts', 'test/**/*.cluster.spec.ts']
const kubernetesSpecs = ['test/kubernetes/*.kubernetes.spec.ts']

const kubernetes = {
  test: {
    name: 'kubernetes',
    sequence: { groupOrder: 5 },
    include: kubernetesSpecs,
    globalSetup: ['test/kubernetes/global-setup.ts'],
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
    // Each spec has a whole release, whose memory is measured.
    maxWorkers: 1,
  },
}

/** Specs of a minute and more, the longest first. */
const longest = [
  'test/up/kills.spec.ts',
  'test/walks-of-demo.spec.ts',
  'test/faults/attack/attack.spec.ts',
  'test/faults/faults.spec.ts',
  'test/walks-of-mainnet.spec.ts',
  'test/services/whole-cluster.cluster.spec.ts',
  'test/mainnet-answers.spec.ts',
  'test/up/life.spec.ts',
]

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((path) => moduleId.endsWith(path))
  return place === -1 ? longest.length : place
}

/** A long spec that begins last runs alone, while the other workers have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => placeOf(left) - placeOf(right))
  }
}

/**
 * `pure` is milliseconds a test and no process; `whole` runs on the real engine; `cluster` on real
 * servers that its specs share; `helm` renders the chart; `faults` hurts servers of its own.
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
          include: ['libs/**/*.spec.ts', 'services/**/*.spec.ts', 'test/tidy/**/*.spec.ts'],
          // They take milliseconds; on a machine that is busy with other things, seconds.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'whole',
          sequence: { groupOrder: 1 },
          include: ['test/**/*.spec.ts'],
          exclude: [
            'test/tidy/**',
            'test/faults/**',
            'test/helm/**',
            ...clusterSpecs,
            ...kubernetesSpecs,
          ],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'cluster',
          sequence: { groupOrder: 2 },
          include: clusterSpecs,
          globalSetup: ['test/cluster/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: workersOfServers,
        },
      },
      {
        test: {
          name: 'helm',
          sequence: { groupOrder: 3 },
          include: ['test/helm/**/*.spec.ts'],
          // Helm is built once, before the first file is collected.
          globalSetup: ['test/helm/global-setup.ts'],
          testTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'faults',
          // Beside the specs of the cluster: both wait for servers more than they compute.
          sequence: { groupOrder: 2 },
          include: ['test/faults/**/*.spec.ts'],
          maxWorkers: workersOfServers,
        },
      },
      ...(process.env.KUBERNETES === 'containers' ? [kubernetes] : []),
    ],
  },
})
