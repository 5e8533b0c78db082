import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred, fakeApi, ok } from '#test/web/fake-api.ts';
import { AtAnAddress, renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { goToPage, usePaging } from '#web/lib/screen/paging-state.ts';
import { SenderSelects } from './sender-selects.tsx';
import { useSenders } from './senders-state.ts';
import { useCurrentSender } from './use-current-sender.ts';

const GROUPS = [
  { id: 1, group_name: '首都圏営業部' },
  { id: 2, group_name: '西日本営業部' },
];
const sender = (id: number, subject: string, values: object) => {
  const person = { person_in_charge: '森 花子', email: 'mori@example.jp', is_confirmed: 1 };
  return { id, subject, template_name: subject, template_id: id + 180, ...person, ...values };
};
const SENDERS: Record<string, object[]> = {
  1: [
    sender(11, 'ご提案', { template_id: 101, sendgrid_template_id: 'd-0123' }),
    sender(12, 'セミナーのご案内', { template_id: 102, template_name: 'セミナー' }),
  ],
  2: [sender(21, '採用のご提案', {})],
};

const onFind = vi.fn<() => void>();
const Selects = () => (
  <AtAnAddress>
    <SenderSelects {...useCurrentSender()} editorPath={(id) => `/template/${id}`} onFind={onFind} />
  </AtAnAddress>
);
const group = () => screen.getByRole<HTMLSelectElement>('combobox', { name: '送信者グループ' });
const template = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'テンプレート' });
const shown = (select: HTMLSelectElement) => select.selectedOptions[0]?.textContent;
const options = (select: HTMLSelectElement) => [...select.options].map(({ textContent }) => textContent);

function open(groups: object[] = GROUPS, senders = SENDERS) {
  const requests = fakeApi({
    'GET /sender_group/list': () => ok(groups),
    'GET /sender/list': ({ query }) => ok(senders[query.get('where_info[sender_group_id]') ?? ''] ?? []),
  });
  renderPart(<Selects />);
  return requests;
}

function tellEditor(url: string): void {
  const meta = document.createElement('meta');
  Object.assign(meta, { name: 'template-editor-url', content: url });
  document.head.append(meta);
  onTestFinished(() => meta.remove());
}

beforeEach(() => logInAs());

const OFFER = 'ご提案（森 花子）';
const SEMINAR = 'セミナー — セミナーのご案内（森 花子）';

describe('sender group and template', () => {
  it('are the first ones without a choice; only active ones are requested', async () => {
    const requests = open();
    expect(await screen.findByRole('option', { name: OFFER })).toBeDefined();
    expect([shown(group()), shown(template())]).toEqual(['首都圏営業部', OFFER]);
    expect(options(template())).toEqual([OFFER, SEMINAR]);
    expect(requests.map(({ query }) => query.get('where_info[active]'))).toEqual(['1', '1']);
    expect(requests[0]?.query.get('where_info[account_id]')).toBe('7');
  });

  it('of another group are its own, and the list starts at its first page', async () => {
    open();
    await screen.findByRole('option', { name: OFFER });
    await userEvent.selectOptions(template(), SEMINAR);
    expect(shown(template())).toBe(SEMINAR);
    goToPage(3);
    await userEvent.selectOptions(group(), '西日本営業部');
    expect(await screen.findByRole('option', { name: '採用のご提案（森 花子）' })).toBeDefined();
    expect([shown(group()), options(template())]).toEqual(['西日本営業部', ['採用のご提案（森 花子）']]);
    expect(usePaging.getState().pagenate_num).toBe(1);
  });

  it('a group that no longer exists is replaced by the first, a template by none, so that the user chooses', async () => {
    useSenders.setState({ current_sender_group: 99, current_sender: 98 });
    open();
    await screen.findByRole('option', { name: OFFER });
    expect([shown(group()), shown(template())]).toEqual(['首都圏営業部', 'テンプレートを選ぶ']);
    const gone = '選んでいたテンプレートは使えなくなりました。別のテンプレートを選んでください。';
    expect(screen.getByText(gone)).toBeDefined();
    await userEvent.selectOptions(template(), SEMINAR);
    expect([screen.queryByText(gone), options(template())]).toEqual([null, [OFFER, SEMINAR]]);
  });

  it('the first template, shown without a choice, is not silently replaced when it no longer exists', async () => {
    const senders = { ...SENDERS };
    open(GROUPS, senders);
    await screen.findByRole('option', { name: OFFER });
    await waitFor(() => expect(useSenders.getState().current_sender).toBe(11));
    senders[1] = [sender(12, '新しいご提案', {})];
    window.dispatchEvent(new Event('visibilitychange'));
    expect(await screen.findByText(/^選んでいたテンプレートは使えなくなりました。/)).toBeDefined();
    expect(useSenders.getState().current_sender).toBe(11);
  });

  it('lists the last used first, then by id; the first by id stays the current one', async () => {
    const at = (id: number, last_used_at: string | null) => sender(id, `文面${id}`, { last_used_at });
    const used = [at(11, null), at(12, '2026/11/26 09:00:00'), at(13, null), at(14, '2026/11/27 09:00:00')];
    open(GROUPS, { 1: used });
    await screen.findByRole('option', { name: '文面11（森 花子）' });
    expect(options(template())).toEqual([14, 12, 11, 13].map((id) => `文面${id}（森 花子）`));
    expect(shown(template())).toBe('文面11（森 花子）');
  });

  it('loads the templates of all pages, and offers a search above 50', async () => {
    const rows = (from: number) => Array.from({ length: 30 }, (_, n) => sender(from + n, `文面${from + n}`, {}));
    fakeApi({
      'GET /sender_group/list': () => ok(GROUPS),
      'GET /sender/list': ({ query }) => {
        const offset = Number(query.get('offset'));
        const page = offset < 60 ? rows(offset + 1) : [sender(61, '最後の文面', {})];
        return Response.json(page, { headers: { 'X-Total-Count': '61' } });
      },
    });
    renderPart(<Selects />);
    await screen.findByRole('option', { name: '最後の文面（森 花子）' });
    expect(template().options).toHaveLength(61);
    await userEvent.click(screen.getByRole('button', { name: 'テンプレートを探す' }));
    expect(onFind).toHaveBeenCalledOnce();
  });

  it('show that they are loading, and that there is none', async () => {
    const groups = deferred();
    fakeApi({ 'GET /sender_group/list': () => groups.answer, 'GET /sender/list': () => ok([]) });
    renderPart(<Selects />);
    expect([shown(group()), shown(template())]).toEqual(['読み込み中…', '読み込み中…']);
    groups.resolve(ok(GROUPS));
    expect(await screen.findByRole('option', { name: 'テンプレートがありません' })).toBeDefined();
    expect(shown(group())).toBe('首都圏営業部');
  });

  it('show that there is no group', async () => {
    open([]);
    expect(await screen.findByRole('option', { name: '送信者グループがありません' })).toBeDefined();
    expect(shown(template())).toBe('テンプレートがありません');
  });
});

describe('the link to the template editor', () => {
  it('§2.11 leads to the chosen template, in a new tab', async () => {
    tellEditor('https://editor.example.jp/t/{template_id}/edit');
    open();
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'テンプレートを編集' });
    expect([link.href, link.target, link.rel]).toEqual([
      'https://editor.example.jp/t/101/edit',
      '_blank',
      'noopener noreferrer',
    ]);
    await userEvent.selectOptions(template(), SEMINAR);
    expect(link.href).toBe('https://editor.example.jp/t/102/edit');
  });

  it('§2.11 leads to the template at SendGrid, if it has one', async () => {
    tellEditor('https://mc.sendgrid.com/dynamic-templates/{sendgrid_template_id}');
    open();
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'テンプレートを編集' });
    expect(link.href).toBe('https://mc.sendgrid.com/dynamic-templates/d-0123');
    await userEvent.selectOptions(template(), SEMINAR);
    expect(screen.queryByRole('link')).toBeNull();
  });

  it('§2.11 opens this client if the server names no other editor; the new tab gets the session of this one', async () => {
    open();
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'テンプレートを編集' });
    expect([link.pathname, link.target, link.rel]).toEqual(['/template/101', '_blank', 'opener']);
  });

  it('is not shown without a template', async () => {
    tellEditor('https://editor.example.jp/');
    open(GROUPS, {});
    await screen.findByRole('option', { name: 'テンプレートがありません' });
    expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toEqual(['送信者グループの設定']);
  });
});
