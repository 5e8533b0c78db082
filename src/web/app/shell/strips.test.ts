import { expect, test } from 'vitest';
import { worstStrip } from './strips.ts';

const stopped = { id: 5, cause: '差出人の拒否' };
const incompleteGroups = ['営業1課', '営業2課'];

test('one strip is shown, the worst', () => {
  expect(worstStrip({ usesCatcher: true, stopped, incompleteGroups })).toEqual({
    tone: 'red',
    text: '送信を止めています：差出人の拒否',
    link: { to: '/sends/5', label: '原因を確認' },
  });
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups })).toEqual({
    tone: 'amber',
    text: '法定表示が足りないため、実際の送信ができません：営業1課、営業2課',
    link: { to: '/settings/legal', label: '法定表示を入力' },
  });
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups: [] })?.tone).toBe('neutral');
  expect(worstStrip({ usesCatcher: false, stopped: null, incompleteGroups: [] })).toBeNull();
});
