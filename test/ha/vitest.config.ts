import { defineConfig } from 'vitest/config';

// Not part of `npm test`: it takes 17 minutes. It needs Debian's Patroni, etcd, HAProxy, PgBouncer and pgBackRest, and
// root, to run PostgreSQL as `postgres`.
export default defineConfig({
  test: {
    include: ['test/ha/*.test.ts'],
    globalSetup: ['test/ha/needs.ts'],
    setupFiles: ['test/setup.ts'],
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
});
