import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';

const GROUPS = ok([{ id: 1, group_name: '営業部' }]);
const SENDERS = ok([{ id: 5, subject: 'ご提案', template_id: 15 }]);

type Handlers = Parameters<typeof fakeApi>[0];

const serve = (more: Handlers = {}): FakeRequest[] =>
  fakeApi({
    'GET /sender_group/list': () => GROUPS,
    'GET /sender/list': () => SENDERS,
    'GET /prospect/view': () => ok({ rows: [prospect(1)], total: 170 }),
    'GET /reservation/list': () => ok([]),
    ...more,
  });

const company = () => screen.findByRole('rowheader', { name: '第1商事' });
const retry = async () => userEvent.click(await screen.findByRole('button', { name: '再読み込み' }));
const shown = (label: string) => screen.getByLabelText<HTMLSelectElement>(label).selectedOptions[0]?.textContent;

beforeEach(() => logInAs());

describe('groups and templates that cannot be loaded', () => {
  it.each(['prospects', 'reservations', 'attack-list'])('say so in the tab %s, and can be asked for again', async (tab) => {
    let groups: FakeAnswer = refused(403, '読めません');
    serve({ 'GET /sender_group/list': () => groups, 'GET /attack_list/preview': () => refused(403, '作れません') });
    await renderApp(`/?tab=${tab}`);
    const panel = within(await screen.findByRole('tabpanel'));
    expect(await panel.findByText('読み込めませんでした')).toBeDefined();
    expect(screen.queryByText('読み込み中…')).toBeNull();
    expect([shown('送信者グループ'), shown('テンプレート')]).toEqual(['読み込めませんでした', '読み込めませんでした']);
    groups = GROUPS;
    await retry();
    await waitFor(() => expect(shown('テンプレート')).toBe('ご提案'));
  });

  it('take no list away that needs none of them', async () => {
    let senders: FakeAnswer = refused(403, '読めません');
    serve({ 'GET /sender/list': () => senders });
    await renderApp('/');
    await company();
    await waitFor(() => expect(shown('テンプレート')).toBe('読み込めませんでした'));
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    senders = SENDERS;
    await retry();
    await company();
    expect(shown('テンプレート')).toBe('ご提案');
  });
});
