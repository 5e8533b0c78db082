import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { TemplateNotices } from './template-notices.tsx';

const show = (values: Partial<MailTemplate>) => {
  logInAs();
  const template = {
    id: 12,
    reservations: 0,
    archived: 0,
    faults: [],
    asks_for_reply: 0,
    sendgrid_template_id: null,
    sendgrid_footer_confirmed: 0,
    ...values,
  };
  renderPart(<TemplateNotices template={template as unknown as MailTemplate} />);
};

it('asks to remove the line of older letters that asks for a reply', () => {
  show({ asks_for_reply: 1 });
  expect(screen.getByText(/返信では受け付けないので、その行を消してください。/)).toBeDefined();
});

it('asks the user to confirm a SendGrid template, which the server cannot read', async () => {
  const requests = fakeApi({ 'PUT /mail_template/12/sendgrid_footer': () => ok({ status: 'updated', id: 12 }) });
  show({ sendgrid_template_id: 'd-1' });
  const box = screen.getByLabelText('SendGridのテンプレートに法定表示の項目が入っていることを確認しました');
  await userEvent.click(box);
  expect(await toastText('status')).toBe('保存しました');
  await waitFor(() => expect(requests.map(({ body }) => body)).toEqual([{ update_info: { confirmed: 1 } }]));
});

it('says nothing about SendGrid or replies otherwise', () => {
  show({});
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByText(/返信/)).toBeNull();
});
