import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OTHER_ZONES, OWN_ZONE } from './zones.ts';

/** The tests of rules that use dates. Elsewhere lint forbids code that depends on the zone (.oxlintrc.json). */
const DATE_RULES = [
  'domain/time/calendar',
  'domain/sending/candidate-dates',
  'domain/sending/eligibility',
  'domain/sending/off-hours',
  'domain/sending/picker-window',
  'domain/sending/reservation-window',
  'domain/sending/run-estimate',
  'domain/sending/rules/closing-days',
  'domain/sending/sending-hours',
  'domain/time/tokyo-time',
  'server/features/mail-content/run-mail',
  'server/features/reservations/reservation-list',
  'server/features/reservations/reservation-times',
];
const SOURCES = join(import.meta.dirname, '../src');
const { TZ: ownZone = OWN_ZONE } = process.env;

const zoneInForce = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

test('this run uses the expected zone', () => {
  expect(zoneInForce()).toBe(ownZone);
});

// Making each zone a project of vitest.config.ts would restart the workers, which costs more than the tests. Node
// applies a new TZ at once in a process, as a worker is, but not in a thread, where these tests would not work.
describe.each(OTHER_ZONES)('in %s', (zone) => {
  beforeAll(() => {
    process.env.TZ = zone;
    expect(zoneInForce()).toBe(zone);
  });

  afterAll(() => {
    const last = zoneInForce();
    process.env.TZ = ownZone;
    expect(last).toBe(zone);
  });

  // The query makes vitest evaluate the file again, so that its tests are added here too.
  describe.each(DATE_RULES)('%s', (name) => import(`${join(SOURCES, name)}.test.ts?zone=${zone}`));
});
