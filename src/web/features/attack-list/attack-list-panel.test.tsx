import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs, target, USER } from '#test/web/samples.ts';
import { updateAttackListSettings, useSession } from '#web/lib/session-store.ts';
import { AttackListPanel } from './attack-list-panel.tsx';

const onSend = vi.fn();
const TARGETS = [target(1), target(2), target(3)];

const preview = (rows = TARGETS, left_out = {}) => ({
  'GET /attack_list/preview': () => ok({ rows, matched: 1234, eligible: rows.length, left_out }),
});
const show = () => renderPart(<AttackListPanel base={{ sender_group_id: 1 }} onSend={onSend} />);
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const addresses = () =>
  screen.getAllByRole('cell').flatMap(({ textContent }) => textContent?.match(/.+@.+/)?.[0] ?? []);
const send = () => fireEvent.click(screen.getByRole('button', { name: '送信' }));

beforeEach(() => {
  onSend.mockClear();
  logInAs();
});

describe('attack list', () => {
  it('starts as the specification says: test mode on, 7 days, 10 targets, mail to oneself', async () => {
    const requests = fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    expect(screen.getByLabelText('テストモード')).toHaveProperty('checked', true);
    expect(screen.getByLabelText('再送信間隔（日）')).toHaveProperty('value', '7');
    expect(screen.getByLabelText('テスト件数')).toHaveProperty('value', '10');
    const limit = screen.getByLabelText('取得件数') as HTMLSelectElement;
    expect([...limit.options].map(({ value }) => value).join()).toBe('1,10,50,100,200,300,400,500,1000');
    expect(Object.fromEntries(requests[0]?.query ?? [])).toEqual({
      sender_group_id: '1',
      days_from_lastday: '7',
      limit_count: '10',
    });
    expect(addresses()).toEqual([USER.email, USER.email, USER.email]);
  });

  it('numbers the test addresses and cuts the list to the test limit', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    type('テスト送信先', 'qa+[n]@example.com');
    type('テスト件数', '２');
    expect(addresses()).toEqual(['qa+0@example.com', 'qa+1@example.com']);
    expect(screen.getByText('テスト送信 2件')).toBeDefined();
    send();
    expect(onSend.mock.calls[0]?.[0]).toEqual([
      { ...target(1), company_email: 'qa+0@example.com' },
      { ...target(2), company_email: 'qa+1@example.com' },
    ]);
  });

  it('mails the companies themselves without test mode', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    fireEvent.click(screen.getByLabelText('テストモード'));
    expect(screen.queryByLabelText('テスト送信先')).toBeNull();
    expect(addresses()).toEqual(TARGETS.map(({ company_email }) => company_email));
    send();
    expect(onSend.mock.calls[0]?.[0]).toEqual(TARGETS);
  });

  it('tells in Japanese why companies are left out', async () => {
    fakeApi(preview(TARGETS, { inactive: 1200, recently_sent: 31, suppressed: 0 }));
    show();
    expect(await screen.findByText('該当 1,234件')).toBeDefined();
    expect(screen.getByText('対象外 1,231件')).toBeDefined();
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '無効 1,200件',
      '再送信間隔内に送信済み 31件',
    ]);
  });

  it('sends no empty list', async () => {
    fakeApi(preview([]));
    show();
    await screen.findByText('アタックリストが0件です');
    send();
    expect((await screen.findByRole('alert')).textContent).toBe('アタックリストが0件です');
    expect(onSend).not.toHaveBeenCalled();
  });

  it.each([
    ['テスト送信先', '', 'テスト送信先が入力されていません'],
    ['テスト送信先', 'a@b@c', 'テスト送信先のメールアドレスが正しくありません'],
    ['テスト件数', '0', '1から1,000までの整数で入力してください'],
    ['再送信間隔（日）', '-1', '1から3,650までの整数で入力してください'],
    ['再送信間隔（日）', '', '1から3,650までの整数で入力してください'],
  ])('sends nothing while %s is %j', async (label, value, fault) => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    type(label, value);
    expect(screen.getByLabelText(label).getAttribute('aria-invalid')).toBe('true');
    send();
    expect((await screen.findByRole('alert')).textContent).toBe(fault);
    expect(onSend).not.toHaveBeenCalled();
  });

  it('never offers the targets of an interval that has changed since', async () => {
    fakeApi(preview());
    show();
    await screen.findByRole('rowheader', { name: '第1商事' });
    type('再送信間隔（日）', '30');
    send();
    expect(onSend).not.toHaveBeenCalled();
    await waitFor(() =>
      expect(screen.getByRole('button', { name: '送信' }).getAttribute('aria-disabled')).not.toBe('true'),
    );
    send();
    expect(onSend.mock.calls[0]?.[1]).toMatchObject({ days_from_lastday: 30 });
  });

  it('remembers its settings', async () => {
    fakeApi(preview());
    updateAttackListSettings({ days_from_lastday: 14, limit_count: 300 });
    show();
    expect(await screen.findByLabelText('再送信間隔（日）')).toHaveProperty('value', '14');
    type('再送信間隔（日）', '21');
    fireEvent.change(screen.getByLabelText('取得件数'), { target: { value: '1000' } });
    expect(useSession.getState().attack_list_settings).toMatchObject({ days_from_lastday: 21, limit_count: 1000 });
  });
});
