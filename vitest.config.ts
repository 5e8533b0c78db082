import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// One runner: server (units and real PostgreSQL), web (components in jsdom), both again in other time zones; e2e (whole flows in
// Chromium against real processes) and faults (killed processes). The last two start servers: they wait for the others and run
// one file at a time.
const database = { globalSetup: ['test/global-setup.ts'], setupFiles: ['test/setup.ts'], testTimeout: 20_000 };
const processes = { ...database, fileParallelism: false, testTimeout: 120_000, hookTimeout: 120_000 };

/** Beside UTC: those of the users, of a clock that is put forward and back, and of the first day on Earth. */
const ZONES = ['Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati'];

/** Where dates are read, compared or written. Everything else runs so by hand: `TZ=Asia/Tokyo vitest run --project server`. */
const WITH_DATES = [
  'src/domain/*.test.ts',
  'src/server/features/{attack-list,email-change,prospects,reservations,send-logs,sending}/*.test.ts',
  'src/server/features/auth/auth.routes.test.ts',
  'test/spec/*.test.ts',
  'test/bad-inputs/clocks.test.ts',
  'test/{axios,time-zone}.test.ts',
];

type ProjectTest = NonNullable<TestProjectInlineConfiguration['test']>;
const project = (test: ProjectTest): TestProjectInlineConfiguration => ({ test });

const server = (name: string, TZ: string, include: string[]) =>
  project({ ...database, name, env: { TZ }, include, hookTimeout: 60_000 });

const web = (name: string, TZ: string) =>
  project({
    name,
    env: { TZ },
    environment: 'jsdom',
    include: ['src/web/**/*.test.{ts,tsx}'],
    setupFiles: ['test/web/setup.ts'],
  });

const { TZ: ownZone = 'UTC' } = process.env;

export default defineConfig({
  test: {
    projects: [
      server('server', ownZone, [
        'src/{domain,contract,server}/**/*.test.ts',
        'test/*.test.ts',
        'test/{schema,authorization,spec,bad-inputs}/*.test.ts',
      ]),
      web('web', ownZone),
      ...ZONES.flatMap((zone) => [server(`server ${zone}`, zone, WITH_DATES), web(`web ${zone}`, zone)]),
      project({ ...processes, name: 'e2e', include: ['test/e2e/*.test.ts'], sequence: { groupOrder: 1 } }),
      project({ ...processes, name: 'faults', include: ['test/faults/*.test.ts'], sequence: { groupOrder: 2 } }),
    ],
  },
});
