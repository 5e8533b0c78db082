import { expect, test } from 'vitest';
import { checkStates } from './accessibility.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

test('no screen of companies or before the login has a serious fault, jumps or is wider than its window', {
  timeout: 1_800_000,
}, async () => {
  expect(await checkStates(kaitaku, 'prospects')).toStrictEqual([]);
});
