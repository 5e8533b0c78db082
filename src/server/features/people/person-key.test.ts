import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findSamePerson, isEqualKey, isSamePerson, mergedKey, nameKey, type PersonKey } from './person-key.ts';

const person = (name: string, department = '', emailSearch: string | null = null): PersonKey => ({
  nameKey: nameKey(name),
  department,
  emailSearch,
});

test.each([
  ['佐藤 一郎', '佐藤一郎'],
  ['佐藤　一郎 様', '佐藤一郎'],
  ['ＳＡＴＯ Ichiro', 'satoichiro'],
  ['様', ''],
  ['鵜殿', '鵜殿'],
  ['山田先生', '山田'],
  ['', ''],
])('the key of %j is %j', (name, key) => expect(nameKey(name)).toBe(key));

test('a key fits into an index, and has no half of a character', () => {
  expect(Buffer.byteLength(nameKey('ﷺ'.repeat(100)))).toBeLessThan(2000);
  expect(nameKey('𠮷'.repeat(150)).isWellFormed()).toBe(true);
  expect(nameKey(`a${'𠮷'.repeat(150)}`).isWellFormed()).toBe(true);
});

describe('the same person', () => {
  it.each([
    ['two addresses decide', person('佐藤', '営業', 'a@x.jp'), person('佐藤', '購買', 'a@x.jp'), true],
    ['another address is another person', person('佐藤', '営業', 'a@x.jp'), person('佐藤', '営業', 'b@x.jp'), false],
    ['eigyo@ with two names is two', person('佐藤', '', 'e@x.jp'), person('鈴木', '', 'e@x.jp'), false],
    ['an address of nobody gets a name', person('', '', 'e@x.jp'), person('鈴木', '', 'e@x.jp'), true],
    ['who gets an address later is one', person('佐藤', '営業'), person('佐藤', '営業', 'a@x.jp'), true],
    ['a department that is not known', person('佐藤'), person('佐藤', '営業'), true],
    ['two departments are two', person('佐藤', '営業'), person('佐藤', '購買'), false],
    ['departments without names', person('', '購買部'), person('', '購買部'), true],
    ['a department is not its address', person('', '購買部'), person('', '購買部', 'k@x.jp'), false],
    ['a name is not a department', person('佐藤', '購買部'), person('', '購買部'), false],
  ])('%s', (_, a, b, isSame) => {
    expect(isSamePerson(a, b)).toBe(isSame);
    expect(isSamePerson(b, a)).toBe(isSame);
  });

  it('of several is the one of the same department, then the first', () => {
    const people = [person('佐藤', '営業'), person('佐藤', '購買'), person('佐藤', '')];
    expect(findSamePerson(people, person('佐藤', '購買', 'a@x.jp'))).toBe(people[1]);
    expect(findSamePerson(people, person('佐藤'))).toBe(people[2]);
    expect(findSamePerson(people.slice(0, 2), person('佐藤'))).toBe(people[0]);
    expect(findSamePerson(people, person('鈴木'))).toBeUndefined();
  });
});

/** Few values, so that many entries meet. */
const anyKey = fc.record({
  nameKey: fc.constantFrom('', 'さとう', 'すずき'),
  department: fc.constantFrom('', '営業', '購買'),
  emailSearch: fc.constantFrom(null, 'a@x.jp', 'b@x.jp'),
});

/** Adds or merges entries as writePeople() does. */
function merge(entries: readonly PersonKey[]): PersonKey[] {
  const people: PersonKey[] = [];
  for (const entry of entries) {
    const same = findSamePerson(people, entry);
    if (same === undefined) people.push(entry);
    else people[people.indexOf(same)] = mergedKey(same, entry);
  }
  return people;
}

test('no entries make two people with one key, which the table forbids', () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 12 }), (entries) => {
      const people = merge(entries);
      const isTwice = people.some((one, at) => people.slice(at + 1).some((other) => isEqualKey(one, other)));
      expect(isTwice).toBe(false);
    }),
    { numRuns: 3000 },
  );
});

test('an entry is found again: with its person as it was stored nothing changes', () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 8 }), (entries) => {
      const people = merge(entries);
      for (const stored of people) {
        const found = findSamePerson(people, stored);
        expect(found && isEqualKey(found, mergedKey(found, stored))).toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
});
