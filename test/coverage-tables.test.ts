import { describe, expect, test } from 'vitest';
import { badInputs, proofs, proofsOf, rules, testFiles } from '../scripts/coverage.ts';

/** Checks that each rule of the specification and each bad input has a test with its number in the name. */

test('the tests were found', () => {
  expect(testFiles.length).toBeGreaterThan(80);
  expect(proofs.length).toBeGreaterThan(300);
});

describe.each([
  ['rules of the specification', rules],
  ['bad inputs', badInputs],
] as const)('%s', (_, statements) => {
  test('each has a test, or a note that says why not', () => {
    const silent = statements.filter(
      (statement) => proofsOf(statement).length === 0 && !/^(?:Not built yet|No such input)/.test(statement.note),
    );
    expect(silent).toStrictEqual([]);
  });
});

test('the statements are those of sections 2 to 9 and the lines 1 to 247 of bad inputs, each once, in order', () => {
  const inSpec = rules.map(({ number }) => number.split('.').map(Number));
  const expected = [...Map.groupBy(inSpec, ([section]) => section)].flatMap(([section, found]) =>
    found.map((_, at) => [section, at + 1]),
  );
  expect(inSpec).toStrictEqual(expected);
  expect([...new Set(inSpec.map(([section]) => section))]).toStrictEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  expect(badInputs.map(({ number }) => number)).toStrictEqual(Array.from({ length: 247 }, (_, n) => String(n + 1)));
});

test('every number in a name is that of a statement', () => {
  const known = new Set([...rules, ...badInputs].map(({ number }) => number));
  expect(proofs.filter(({ numbers }) => numbers.some((number) => !known.has(number)))).toStrictEqual([]);
});
