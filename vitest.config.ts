import { defineConfig } from 'vitest/config'

/** `pure` is milliseconds a test and no process; `whole` runs on the real engine. */
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
        },
      },
      {
        test: {
          name: 'whole',
          sequence: { groupOrder: 1 },
          include: ['test/**/*.spec.ts'],
          exclude: ['test/tidy/**'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
})
