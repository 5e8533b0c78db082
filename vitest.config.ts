import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { memoryFolder } from './test/memory-folder.ts';
import { OWN_ZONE } from './test/zones.ts';

// One runner, three stages: first server (units and real PostgreSQL); then web (components in jsdom); then e2e (whole
// flows in Chromium) beside faults (killed processes).
const database = { globalSetup: ['test/global-setup.ts'], setupFiles: ['test/setup.ts'], testTimeout: 60_000 };
/**
 * The last stage mostly waits: for pages, processes, leases. test/e2e/shared-program.ts starts a program a worker.
 */
const processes = {
  ...database,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 20_000 } },
  isolate: false,
  maxWorkers: availableParallelism() + 2,
  sequence: { groupOrder: 2 },
};

const { TZ = OWN_ZONE } = process.env;
const memory = memoryFolder();
if (memory !== null) process.env.TMPDIR ??= memory;

type ProjectTest = NonNullable<TestProjectInlineConfiguration['test']>;
const project = (test: ProjectTest): TestProjectInlineConfiguration => ({ test });

export default defineConfig({
  test: {
    // Two more than cores: tests wait for the database and for processes.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      project({
        ...database,
        name: 'server',
        env: { TZ },
        include: [
          'src/{domain,contract,server}/**/*.test.ts',
          'test/*.test.ts',
          'test/{schema,authorization,spec,bad-inputs}/*.test.ts',
        ],
        hookTimeout: 120_000,
        isolate: false,
      }),
      project({
        name: 'web',
        env: { TZ },
        environment: 'jsdom',
        include: ['src/web/**/*.test.{ts,tsx}'],
        setupFiles: ['test/web/setup.ts'],
        isolate: false,
        // Each worker loads jsdom and the kit, for 5 s of CPU; the tests hardly wait.
        maxWorkers: availableParallelism() + 1,
        sequence: { groupOrder: 1 },
      }),
      project({
        ...processes,
        name: 'e2e',
        environment: './test/e2e/environment.ts',
        globalSetup: [...database.globalSetup, 'test/e2e/shared-program.ts'],
        include: ['test/e2e/*.test.ts'],
      }),
      project({ ...processes, name: 'faults', include: ['test/faults/*.test.ts'] }),
    ],
  },
});
