import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { OTHER_ZONES, OWN_ZONE } from './test/zones.ts';

// One runner, two stages: first server (units and real PostgreSQL), the rules of dates in other time zones, and web
// (components in jsdom); then e2e (whole flows in Chromium) beside faults (killed processes).
const database = { globalSetup: ['test/global-setup.ts'], setupFiles: ['test/setup.ts'], testTimeout: 60_000 };
/**
 * The second stage mostly waits: for pages, processes, leases. test/e2e/shared-program.ts starts a program a worker.
 */
const processes = {
  ...database,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  isolate: false,
  maxWorkers: availableParallelism() + 2,
  sequence: { groupOrder: 1 },
};

const { TZ: ownZone = OWN_ZONE } = process.env;
/** The rules of dates run in each zone. Elsewhere lint refuses what depends on the zone (.oxlintrc.json). */
const DATE_RULES = [
  'src/domain/{calendar,candidate-dates,eligibility,off-hours,picker-window}.test.ts',
  'src/domain/{reservation-window,run-estimate,sending-hours,tokyo-time}.test.ts',
  'src/server/features/reservations/{reservation-list,reservation-times}.test.ts',
  'src/server/features/mail-content/run-mail.test.ts',
  'test/time-zone.test.ts',
];

type ProjectTest = NonNullable<TestProjectInlineConfiguration['test']>;
const project = (test: ProjectTest): TestProjectInlineConfiguration => ({ test });

const server = (name: string, TZ: string, include: string[]) =>
  project({ ...database, name, env: { TZ }, include, hookTimeout: 120_000, isolate: false });

const web = (name: string, TZ: string, include: string[]) =>
  project({
    name,
    env: { TZ },
    environment: 'jsdom',
    isolate: false,
    include,
    setupFiles: ['test/web/setup.ts'],
  });

export default defineConfig({
  test: {
    // One more than cores: tests wait for the database and for processes.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      server('server', ownZone, [
        'src/{domain,contract,server}/**/*.test.ts',
        'test/*.test.ts',
        'test/{schema,authorization,spec,bad-inputs}/*.test.ts',
      ]),
      web('web', ownZone, ['src/web/**/*.test.{ts,tsx}']),
      ...OTHER_ZONES.map((zone) => server(`server ${zone}`, zone, DATE_RULES)),
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
