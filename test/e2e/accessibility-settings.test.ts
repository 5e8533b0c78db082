import { expect, test } from 'vitest';
import { checkStates } from './accessibility.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

test('no screen of templates, reports and settings has a serious fault, jumps or is wider than its window', {
  timeout: 1_800_000,
  // A machine that is slow for a moment counts the late effect of a press as a jump. A real one comes twice.
  retry: 1,
}, async () => {
  expect(await checkStates(kaitaku, 'settings')).toStrictEqual([]);
});
