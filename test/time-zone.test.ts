import { expect, test } from 'vitest';

test('this run is in the zone it is meant to be in', () => {
  expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(process.env.TZ);
});
