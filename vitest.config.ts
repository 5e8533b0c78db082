import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { OTHER_ZONES, OWN_ZONE } from './test/zones.ts';

// One runner: server (units and real PostgreSQL), web (components in jsdom), both again in other time zones; e2e (whole
// flows in Chromium against real processes) and faults (killed processes). The last two start servers: they wait for
// the others, and e2e runs one file at a time; faults mostly wait, for leases to end.
const database = { globalSetup: ['test/global-setup.ts'], setupFiles: ['test/setup.ts'], testTimeout: 60_000 };
const processes = { ...database, testTimeout: 180_000, hookTimeout: 180_000 };

const { TZ: ownZone = OWN_ZONE } = process.env;
/**
 * Once more in each of the other zones: the rules of dates, the specification's, and a whole story told by its client.
 */
const ZONED = [
  'src/domain/*.test.ts',
  'src/server/features/reservations/{reservation-list,reservation-times}.test.ts',
  'src/server/features/mail-content/run-mail.test.ts',
  'test/spec/*.test.ts',
  'test/axios.test.ts',
  'test/bad-inputs/clocks.test.ts',
  'test/time-zone.test.ts',
];
/**
 * In one of those what screens make of a browser's zone; in that of users, and others, whole flows are walked (e2e).
 */
const SCREEN_ZONES = ['America/New_York'];
const DATES_ON_SCREEN = ['src/web/features/{attack-list,sending}/*.test.{ts,tsx}', 'src/web/app/routes/*.test.tsx'];

type ProjectTest = NonNullable<TestProjectInlineConfiguration['test']>;
const project = (test: ProjectTest): TestProjectInlineConfiguration => ({ test });

const server = (name: string, TZ: string, include: string[]) =>
  project({ ...database, name, env: { TZ }, include, hookTimeout: 120_000 });

const web = (name: string, TZ: string, include: string[]) =>
  project({
    name,
    env: { TZ },
    environment: 'jsdom',
    include,
    setupFiles: ['test/web/setup.ts'],
  });

export default defineConfig({
  test: {
    // One is kept free otherwise: half of a machine with two.
    maxWorkers: '100%',
    projects: [
      server('server', ownZone, [
        'src/{domain,contract,server}/**/*.test.ts',
        'test/*.test.ts',
        'test/{schema,authorization,spec,bad-inputs}/*.test.ts',
      ]),
      web('web', ownZone, ['src/web/**/*.test.{ts,tsx}']),
      ...OTHER_ZONES.map((zone) => server(`server ${zone}`, zone, ZONED)),
      ...SCREEN_ZONES.map((zone) => web(`web ${zone}`, zone, DATES_ON_SCREEN)),
      project({
        ...processes,
        name: 'e2e',
        globalSetup: [...database.globalSetup, 'test/e2e/shared-program.ts'],
        include: ['test/e2e/*.test.ts'],
        fileParallelism: false,
        sequence: { groupOrder: 1 },
      }),
      project({ ...processes, name: 'faults', include: ['test/faults/*.test.ts'], sequence: { groupOrder: 2 } }),
    ],
  },
});
