import { expect, test } from 'vitest';
import { checkStates, type Size } from './accessibility.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

const PHONE: Size = { width: 390, height: 844 };

test('no screen has a serious or critical fault, jumps or is wider than its window, on a phone', {
  timeout: 1_800_000,
}, async () => {
  expect(await checkStates(kaitaku, [PHONE])).toStrictEqual([]);
});
