import { defineConfig } from 'vitest/config';

// Four projects, one runner: server (units and real PostgreSQL), web (components in jsdom), e2e (whole flows in Chromium
// against real processes) and faults (killed processes). The last two start servers: they wait for the others and run one file
// at a time.
const database = { globalSetup: ['test/global-setup.ts'], setupFiles: ['test/setup.ts'], testTimeout: 20_000 };
const process = { ...database, fileParallelism: false, testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...database,
          name: 'server',
          include: [
            'src/{domain,contract,server}/**/*.test.ts',
            'test/*.test.ts',
            'test/{schema,authorization,spec,bad-inputs}/*.test.ts',
          ],
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'web',
          environment: 'jsdom',
          include: ['src/web/**/*.test.{ts,tsx}'],
          setupFiles: ['test/web/setup.ts'],
        },
      },
      { test: { ...process, name: 'e2e', include: ['test/e2e/*.test.ts'], sequence: { groupOrder: 1 } } },
      { test: { ...process, name: 'faults', include: ['test/faults/*.test.ts'], sequence: { groupOrder: 2 } } },
    ],
  },
});
