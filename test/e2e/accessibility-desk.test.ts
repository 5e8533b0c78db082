import { expect, test } from 'vitest';
import { checkStates, type Size } from './accessibility.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

const DESK: Size = { width: 1440, height: 900 };
/** The desktop at a zoom of 200 %. */
const ZOOMED: Size = { width: 720, height: 450 };

test('no screen has a serious or critical fault, jumps or is wider than its window, on a desk and zoomed', {
  timeout: 1_800_000,
}, async () => {
  expect(await checkStates(kaitaku, [DESK, ZOOMED])).toStrictEqual([]);
});
