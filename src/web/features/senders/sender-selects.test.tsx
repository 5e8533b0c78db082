import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { deferred, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { goToPage, usePaging } from '#web/lib/paging-state.ts';
import { SenderSelects } from './sender-selects.tsx';
import { useSenders } from './senders-state.ts';
import { useCurrentSender } from './use-current-sender.ts';

const GROUPS = [
  { id: 1, group_name: '首都圏営業部' },
  { id: 2, group_name: '西日本営業部' },
];
const SENDERS: Record<string, object[]> = {
  1: [
    { id: 11, subject: 'ご提案', template_id: 101, sendgrid_template_id: 'd-0123' },
    { id: 12, subject: 'セミナーのご案内', template_id: 102 },
  ],
  2: [{ id: 21, subject: '採用のご提案', template_id: 201 }],
};

const Selects = () => <SenderSelects {...useCurrentSender()} editorPath={(id) => `/template/${id}`} />;
const group = () => screen.getByRole<HTMLSelectElement>('combobox', { name: '送信者グループ' });
const sender = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'テンプレート' });
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

describe('sender group and template', () => {
  it('are the first ones without a choice; only active ones are requested', async () => {
    const requests = open();
    expect(await screen.findByRole('option', { name: 'ご提案' })).toBeDefined();
    expect([shown(group()), shown(sender())]).toEqual(['首都圏営業部', 'ご提案']);
    expect(options(sender())).toEqual(['ご提案', 'セミナーのご案内']);
    expect(requests.map(({ query }) => query.get('where_info[active]'))).toEqual(['1', '1']);
    expect(requests[0]?.query.get('where_info[account_id]')).toBe('7');
  });

  it('another group has its own templates, and starts at its first page', async () => {
    open();
    await screen.findByRole('option', { name: 'ご提案' });
    await userEvent.selectOptions(sender(), 'セミナーのご案内');
    expect(shown(sender())).toBe('セミナーのご案内');
    goToPage(3);
    await userEvent.selectOptions(group(), '西日本営業部');
    expect(await screen.findByRole('option', { name: '採用のご提案' })).toBeDefined();
    expect([shown(group()), options(sender())]).toEqual(['西日本営業部', ['採用のご提案']]);
    expect(usePaging.getState().pagenate_num).toBe(1);
  });

  it('a choice that no longer exists is replaced by the first', async () => {
    useSenders.setState({ current_sender_group: 99, current_sender: 98 });
    open();
    await screen.findByRole('option', { name: 'ご提案' });
    expect([shown(group()), shown(sender())]).toEqual(['首都圏営業部', 'ご提案']);
  });

  it('show that they are loading, and that there is none', async () => {
    const groups = deferred();
    fakeApi({ 'GET /sender_group/list': () => groups.answer, 'GET /sender/list': () => ok([]) });
    renderPart(<Selects />);
    expect([shown(group()), shown(sender())]).toEqual(['読み込み中…', '読み込み中…']);
    groups.resolve(ok(GROUPS));
    expect(await screen.findByRole('option', { name: 'テンプレートがありません' })).toBeDefined();
    expect(shown(group())).toBe('首都圏営業部');
  });

  it('show that there is no group', async () => {
    open([]);
    expect(await screen.findByRole('option', { name: '送信者グループがありません' })).toBeDefined();
    expect(shown(sender())).toBe('テンプレートがありません');
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
    await userEvent.selectOptions(sender(), 'セミナーのご案内');
    expect(link.href).toBe('https://editor.example.jp/t/102/edit');
  });

  it('§2.11 leads to the template at SendGrid, if it has one', async () => {
    tellEditor('https://mc.sendgrid.com/dynamic-templates/{sendgrid_template_id}');
    open();
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'テンプレートを編集' });
    expect(link.href).toBe('https://mc.sendgrid.com/dynamic-templates/d-0123');
    await userEvent.selectOptions(sender(), 'セミナーのご案内');
    expect(screen.queryByRole('link')).toBeNull();
  });

  it("§2.11 leads to our own editor if the server names no other; it starts with this tab's session", async () => {
    open();
    const link = await screen.findByRole<HTMLAnchorElement>('link', { name: 'テンプレートを編集' });
    expect([link.pathname, link.target, link.rel]).toEqual(['/template/101', '_blank', 'opener']);
  });

  it('is missing without a template', async () => {
    tellEditor('https://editor.example.jp/');
    open(GROUPS, {});
    await screen.findByRole('option', { name: 'テンプレートがありません' });
    expect(screen.queryByRole('link')).toBeNull();
  });
});
