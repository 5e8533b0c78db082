import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { listed, logInAs, run } from '#test/web/samples.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';

const ANSWERS = { 'GET /account/7': () => refused(403, ''), 'POST /auth/logout': () => ok({ status: 'logged-out' }) };

function onPhone(): void {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('640px'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}

async function openSends(more: Parameters<typeof fakeApi>[0] = {}) {
  logInAs();
  fakeApi({ ...ANSWERS, ...more });
  const view = await renderApp('/sends');
  await screen.findByRole('heading', { name: '送信履歴' });
  return view;
}

const navigation = () => within(screen.getByRole('navigation', { name: '画面の切り替え' }));

describe('the header', () => {
  it('shows the screens, and which of them is open', async () => {
    await openSends();
    const links = navigation().getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual([
      '見込み客',
      '予約',
      '送信履歴',
      'レポート',
      'テンプレート',
      '配信停止',
      '設定',
    ]);
    expect(links.map((link) => link.getAttribute('aria-current'))).toEqual([
      null,
      null,
      'page',
      null,
      null,
      null,
      null,
    ]);
    expect(screen.queryByRole('button', { name: /のメニュー$/ })).toBeNull();
  });

  it('shows a visitor only the product and the login', async () => {
    await renderApp('/login');
    const links = within(screen.getByRole('banner')).getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual(['Kaitaku', 'ログイン']);
    expect(screen.queryByRole('navigation')).toBeNull();
  });
});

describe('on a phone', () => {
  const menu = () => screen.getByRole('button', { name: '田中 直樹のメニュー' });

  it('the navigation is not in the header, whose menu has the account and the log-out', async () => {
    onPhone();
    const { router } = await openSends();
    expect(navigation().getByRole('link', { name: '送信履歴' }).closest('header')).toBeNull();
    await userEvent.click(menu());
    expect(menu().getAttribute('aria-expanded')).toBe('true');
    await userEvent.click(screen.getByRole('link', { name: 'アカウント' }));
    await screen.findByRole('heading', { name: 'アカウント' });
    expect(router.state.location.pathname).toBe('/account');
    expect(screen.queryByRole('link', { name: 'アカウント' })).toBeNull();
    await userEvent.click(menu());
    await userEvent.click(screen.getByRole('button', { name: 'ログアウト' }));
    await screen.findByRole('heading', { name: 'ログイン' });
  });

  it('the menu closes by Escape, which returns the focus, and by a press or a focus elsewhere', async () => {
    onPhone();
    await openSends();
    const isOpen = () => screen.queryByRole('link', { name: 'アカウント' }) !== null;
    await userEvent.click(menu());
    await userEvent.tab();
    await userEvent.keyboard('{Escape}');
    expect([isOpen(), document.activeElement]).toEqual([false, menu()]);
    await userEvent.click(menu());
    fireEvent.pointerDown(screen.getByRole('main'));
    expect(isOpen()).toBe(false);
    await userEvent.click(menu());
    await userEvent.tab({ shift: true });
    expect(isOpen()).toBe(false);
  });
});

describe('the strip', () => {
  const answers = (state: object) => {
    const open = run(5, state);
    return {
      'GET /send_log/view': () => ok({ rows: [listed(open)], total: 1 }),
      'GET /send_log/5': () => ok(open),
    };
  };

  it.each([
    [{ paused_by: 'sender_refused' }, '送信を止めています：差出人の拒否'],
    [{ database_rewound: true }, '送信を止めています：データベースが過去の状態に戻っています'],
    [
      { limited_until: '2026/11/20 13:00:00' },
      `送信を止めています：送信の上限に達しました（${sentenceTime('2026/11/20 13:00:00')}ごろまで）`,
    ],
    [{ transport_paused_until: '2026/11/20 12:10:00' }, '送信を止めています：メールサーバーに接続できません'],
  ])('shows what stops a run, with its screen: %o', async (state, text) => {
    await openSends(answers(state));
    const strip = (await screen.findByText(text)).closest('p') as HTMLElement;
    expect(within(strip).getByRole('link', { name: '原因を確認' }).getAttribute('href')).toBe('/sends/5');
    expect(strip.closest('[role=status]')).not.toBeNull();
  });

  it('shows that the database was set back even if no run is open', async () => {
    await openSends({ 'GET /send_log/view': () => ok({ rows: [], total: 0, database_rewound: true }) });
    const text = '送信を止めています：データベースが過去の状態に戻っています';
    expect(within((await screen.findByText(text)).closest('p') as HTMLElement).queryByRole('link')).toBeNull();
  });

  it('shows nothing about a run that a user has paused', async () => {
    await openSends(answers({ paused_by: 'user' }));
    await screen.findAllByText('一時停止中');
    expect(screen.queryByText(/^送信を止めています/)).toBeNull();
  });

  it('says that mails stay in the catcher', async () => {
    document.head.insertAdjacentHTML('beforeend', '<meta name="mail-catcher" content="yes">');
    await openSends();
    expect(screen.getByText('メールは外部に送られません（サーバー未設定）')).toBeDefined();
    document.head.querySelector('meta[name="mail-catcher"]')?.remove();
  });
});
