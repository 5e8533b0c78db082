import { expect, test } from 'vitest';
import { neededFor } from './role.ts';

test.each([
  [{}, 'viewer'],
  [{ update_info: { name: 'x' } }, 'viewer'],
  [{ update_info: { active: 0 } }, 'sales'],
  [{ update_info: { active: 0, company: null } }, 'admin'],
  [null, 'viewer'],
  ['company', 'viewer'],
])('the fields of %j need the role %s', (body, needed) => {
  expect(neededFor({ 'update_info.company': 'admin', 'update_info.active': 'sales' }, body)).toBe(needed);
});
