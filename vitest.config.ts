import { defineConfig } from 'vitest/config'

const clusterSpecs = ['test/cluster/**/*.spec.ts', 'test/**/*.cluster.spec.ts']
/** Specs that start services run them compiled. */
const compiled = ['test/support/compiled-services.ts']
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

/**
 * `pure` is milliseconds a test and no process; `whole` runs on the real engine; `cluster` on real
 * servers that its specs share; `helm` renders the chart; `faults` hurts servers of its own.
 * `kubernetes` needs a Docker daemon, and is there for `npm run test:kubernetes` alone.
 */
export default defineConfig({
  test: {
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
          globalSetup: compiled,
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
          globalSetup: [...compiled, 'test/cluster/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
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
          sequence: { groupOrder: 4 },
          include: ['test/faults/**/*.spec.ts'],
          globalSetup: compiled,
        },
      },
      ...(process.env.KUBERNETES === 'containers' ? [kubernetes] : []),
    ],
  },
})
