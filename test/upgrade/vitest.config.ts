import { defineConfig } from 'vitest/config';

// Not part of `npm test`: it takes minutes, because a running program checks for a newer schema once a minute. `npm run
// check:upgrade` packs first.
export default defineConfig({
  test: {
    include: ['test/upgrade/*.test.ts'],
    environment: './test/e2e/environment.ts',
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
