import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { FinishedMail } from '#contract/sending/mail-preview.ts';
import { deferred, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs, target } from '#test/web/samples.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import MailPreviewDialog from './mail-preview-dialog.tsx';

const ORDER: MailOrder = {
  senderId: 5,
  targets: [target(1), target(2), target(3)],
  days: 7,
  testTo: null,
  candidateDates: null,
};

const mail = (page: number, change: Partial<FinishedMail> = {}): FinishedMail => ({
  prospect_id: page,
  company_name: `第${page}商事`,
  subject: `第${page}商事へのご提案`,
  from: { name: '田中 直樹', address: 'tanaka@example.com' },
  to: `info@c${page}.example.jp`,
  text: `第${page}商事\n佐藤 花子 様`,
  html: `<p style="color:red">第${page}商事</p><script>parent.alert(1)</script>`,
  warnings: [],
  ...change,
});

const pageOf = ({ body }: FakeRequest) => (body as { pagenate_num: number }).pagenate_num;
const answers = (change: Partial<FinishedMail> = {}, skipped: object[] = []) =>
  fakeApi({
    'POST /mail/preview/5': (request) =>
      ok({ total: 3, mail: mail(pageOf(request), change), skipped, legal_faults: [] }),
  });
const onClose = vi.fn();
const show = (order = ORDER) => renderPart(<MailPreviewDialog order={order} onClose={onClose} />);
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

beforeEach(() => {
  onClose.mockClear();
  logInAs();
});

describe('the finished mails', () => {
  it('are requested as they would be sent, and shown with subject, sender, address and both bodies', async () => {
    const requests = answers();
    show({
      ...ORDER,
      testTo: 'qa+[n]@example.com',
      candidateDates: [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }],
    });
    expect(await screen.findByText('第1商事へのご提案')).toBeDefined();
    expect(requests[0]?.body).toEqual({
      test_send_mode: 1,
      attack_list: ORDER.targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
      datetime_list: [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }],
      days_from_lastday: 7,
      pagenate_num: 1,
    });
    expect(screen.getByText('田中 直樹（tanaka@example.com）')).toBeDefined();
    expect(screen.getByText('第1商事')).toBeDefined();
    expect(screen.getByText('info@c1.example.jp')).toBeDefined();
    expect(screen.getByText('差し込み項目と敬称に問題はありません')).toBeDefined();
    const frame = screen.getByTitle('HTMLの本文') as HTMLIFrameElement;
    expect(frame.getAttribute('sandbox')).toBe('');
    expect(frame.srcdoc).toBe(mail(1).html);
    fireEvent.click(screen.getByRole('tab', { name: 'テキスト' }));
    expect((await screen.findByRole('tabpanel')).textContent).toBe('第1商事\n佐藤 花子 様');
  });

  it('can be paged through, and the previous mail stays until the next has loaded', async () => {
    const next = deferred();
    fakeApi({
      'POST /mail/preview/5': (request) =>
        pageOf(request) === 2
          ? next.answer
          : ok({ total: 3, mail: mail(pageOf(request)), skipped: [], legal_faults: [] }),
    });
    show();
    await screen.findByText('第1商事へのご提案');
    expect(screen.getByText('1 / 3通')).toBeDefined();
    expect(screen.getByRole('button', { name: '前のメール' }).getAttribute('aria-disabled')).toBe('true');
    press('次のメール');
    expect(screen.getByText('2 / 3通')).toBeDefined();
    expect(screen.getByText('第1商事へのご提案')).toBeDefined();
    next.resolve(ok({ total: 3, mail: mail(2), skipped: [], legal_faults: [] }));
    await screen.findByText('第2商事へのご提案');
    press('次のメール');
    await screen.findByText('第3商事へのご提案');
    expect(screen.getByRole('button', { name: '次のメール' }).getAttribute('aria-disabled')).toBe('true');
    press('前のメール');
    await screen.findByText('第2商事へのご提案');
  });

  it('show legal errors of their own, but not again the missing address of the server', async () => {
    const legal_faults = [
      { code: 'L8', level: 'warning', path: 'public_url', message: 'ワンクリックでの配信停止は使えません。' },
      { code: 'L2', level: 'error', path: 'legal_profile.postal_address', message: '住所を入力してください。' },
    ];
    fakeApi({ 'POST /mail/preview/5': () => ok({ total: 3, mail: mail(1), skipped: [], legal_faults }) });
    show();
    const list = await screen.findByRole('list', { name: '送信前に確認が必要な点' });
    const lines = [...list.children].map(({ textContent }) => textContent);
    expect(lines).toEqual(['差し込み項目と敬称に問題はありません', '住所を入力してください']);
  });

  it('list first what to check', async () => {
    answers({
      warnings: [
        { kind: 'blank_field', text: 'person_in_charge' },
        { kind: 'blank_field', text: 'account.company' },
        { kind: 'doubled_honorific', text: '佐藤様様' },
      ],
    });
    show();
    const list = await screen.findByRole('list', { name: '送信前に確認が必要な点' });
    expect([...list.children].map(({ textContent }) => textContent?.trim())).toEqual([
      '代表者や主担当の氏名がないため、宛名が「ご担当者様」になります',
      '差し込み項目「自社名」が空です',
      '敬称が重なっています：佐藤様様',
    ]);
    const subject = screen.getByText('第1商事へのご提案');
    expect(list.compareDocumentPosition(subject)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  it('show how many companies would be skipped now', async () => {
    answers({}, [{ prospect_id: 9, reason: 'inactive' }]);
    show();
    expect(await screen.findByText('ほかに1社が対象外になります')).toBeDefined();
  });

  it('show the fault of a template, and can be reloaded', async () => {
    let isMended = false;
    fakeApi({
      'POST /mail/preview/5': () =>
        isMended
          ? ok({ total: 3, mail: mail(1), skipped: [], legal_faults: [] })
          : refused(400, 'テンプレートの本文（テキスト）を確認してください。', 'invalid_template'),
    });
    show();
    const fault = await screen.findByText('テンプレートの本文（テキスト）を確認してください');
    expect(fault.closest('[role=alert]')).not.toBeNull();
    isMended = true;
    press('再読み込み');
    expect(await screen.findByText('第1商事へのご提案')).toBeDefined();
    expect(fault.isConnected).toBe(false);
  });

  it('focus the paging button first; Escape closes', async () => {
    answers();
    show();
    await screen.findByText('第1商事へのご提案');
    await waitFor(() => expect(document.activeElement?.textContent).toBe('次のメール'));
    fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    expect(onClose).toHaveBeenCalled();
  });
});
