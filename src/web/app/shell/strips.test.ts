import { expect, test } from 'vitest';
import { worstStrip } from './strips.ts';

const stopped = { id: 5, cause: '差出人の拒否' };
const incompleteGroups = ['営業1課', '営業2課'].map((name) => ({ name, isUnconfirmed: false }));

test('only the most severe strip is shown', () => {
  expect(worstStrip({ usesCatcher: true, stopped, incompleteGroups })).toEqual({
    tone: 'red',
    text: '送信を止めています：差出人の拒否',
    link: { to: '/sends/5', label: '原因を確認' },
  });
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups })).toEqual({
    tone: 'amber',
    text: '「営業1課」「営業2課」の法定表示が未入力のため、まだ会社には送れません',
    link: { to: '/settings/legal', label: '法定表示を入力' },
  });
  const unconfirmed = incompleteGroups.map(({ name }) => ({ name, isUnconfirmed: name === '営業2課' }));
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups: unconfirmed })?.text).toBe(
    '「営業1課」の法定表示が未入力のため、まだ会社には送れません',
  );
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups: unconfirmed.slice(1) })).toMatchObject({
    text: '「営業2課」の法定表示の確認が済んでいないため、まだ会社には送れません',
    link: { label: '法定表示を確認' },
  });
  expect(worstStrip({ usesCatcher: true, stopped: null, incompleteGroups: [] })?.tone).toBe('neutral');
  expect(worstStrip({ usesCatcher: false, stopped: null, incompleteGroups: [] })).toBeNull();
});
