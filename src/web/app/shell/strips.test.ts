import { expect, test } from 'vitest';
import { worstStrip } from './strips.ts';

const stopped = { id: 5, cause: '差出人の拒否' };

test('one strip is shown, the worst', () => {
  expect(worstStrip({ usesCatcher: true, stopped })).toEqual({
    tone: 'red',
    text: '送信を止めています：差出人の拒否',
    link: { to: '/sends/5', label: '原因を確認' },
  });
  expect(worstStrip({ usesCatcher: true, stopped: null })?.tone).toBe('neutral');
  expect(worstStrip({ usesCatcher: false, stopped: null })).toBeNull();
});
