import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';
import { goToPage, useSession } from '#web/lib/session-store.ts';

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
  it.each(['prospects', 'reservations', 'attack-list'])(
    'say so in the tab %s, and can be asked for again',
    async (tab) => {
      let groups: FakeAnswer = refused(403, '読めません');
      serve({ 'GET /sender_group/list': () => groups, 'GET /attack_list/preview': () => refused(403, '作れません') });
      await renderApp(`/?tab=${tab}`);
      const panel = within(await screen.findByRole('tabpanel'));
      expect(await panel.findByText('読み込めませんでした')).toBeDefined();
      expect(screen.queryByText('読み込み中…')).toBeNull();
      expect([shown('送信者グループ'), shown('テンプレート')]).toEqual([
        '読み込めませんでした',
        '読み込めませんでした',
      ]);
      groups = GROUPS;
      await retry();
      await waitFor(() => expect(shown('テンプレート')).toBe('ご提案'));
    },
  );

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

describe('the page of the prospect list', () => {
  const asked = (requests: readonly FakeRequest[]) =>
    requests
      .filter(({ path }) => path === '/prospect/view')
      .map(({ query }) => `${query.get('sort') ?? ''} ${query.get('status') ?? ''} ${query.get('pagenate_num')}`);

  it('is the first of another order in the same moment, and stays that', async () => {
    goToPage(3);
    const requests = serve();
    await renderApp('/');
    await screen.findByText('101–150 / 170件');
    const lastAsked = (list: string) => waitFor(() => expect(asked(requests).at(-1)).toBe(list));
    await userEvent.click(screen.getByRole('button', { name: /会社名/ }));
    await lastAsked('company_name  1');
    await waitFor(() => expect(useSession.getState().pagenate_num).toBe(1));
    await userEvent.selectOptions(screen.getByLabelText('送信状況'), '送信済み');
    await lastAsked('company_name sent 1');
    await userEvent.selectOptions(screen.getByLabelText('並べ替え'), '登録順');
    await lastAsked(' sent 1');
    await userEvent.selectOptions(screen.getByLabelText('送信状況'), 'すべて');
    await lastAsked('  1');
    expect(asked(requests)).toEqual(['  3', 'company_name  1', 'company_name sent 1', ' sent 1', '  1']);
  });

  it('is kept when the screen is left, and when another tab chooses another order it is not', async () => {
    goToPage(3);
    serve();
    await renderApp('/');
    await screen.findByText('101–150 / 170件');
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    await userEvent.click(screen.getByRole('tab', { name: '見込み客リスト' }));
    await screen.findByText('101–150 / 170件');
    await userEvent.click(screen.getByRole('tab', { name: '予約リスト' }));
    await company();
    await userEvent.click(screen.getByRole('button', { name: /会社名/ }));
    await userEvent.click(screen.getByRole('tab', { name: '見込み客リスト' }));
    await screen.findByText('1–50 / 170件');
  });
});
