import { expect, test } from 'vitest';
import { checkStates } from './accessibility.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

test('no screen of sending has a serious fault, jumps or is wider than its window', {
  timeout: 1_800_000,
  // A slow moment of the machine makes the late effect of a press count as a jump. A real jump happens twice.
  retry: 1,
}, async () => {
  expect(await checkStates(kaitaku, 'sending')).toStrictEqual([]);
});
