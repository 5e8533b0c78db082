import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { deferred, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderPart } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import type { MailPreviewOrder } from './preview-mail.ts';
import { useMailChecks } from './use-mail-checks.ts';

const ORDER: MailPreviewOrder = { senderId: 5, targets: [], days: 7, testTo: null, candidateDates: null };

function Checked() {
  const [order, setOrder] = useState(ORDER);
  const found = useMailChecks(order);
  return (
    <>
      <p>{found === undefined ? 'loading' : 'checked'}</p>
      <p>{found?.testChecks.map(({ text }) => text).join()}</p>
      <button type="button" onClick={() => setOrder({ ...ORDER, senderId: 6 })}>
        another sender
      </button>
    </>
  );
}

it('an order waits for its own checks, not for those of the order before', async () => {
  logInAs();
  const next = deferred();
  const answer = ok({ total: 0, mail: null, skipped: [], legal_faults: [], without_source: 0 });
  fakeApi({ 'POST /mail/preview/5': () => answer, 'POST /mail/preview/6': () => next.answer });
  const user = userEvent.setup();
  renderPart(<Checked />);
  await screen.findByText('checked');
  await user.click(screen.getByRole('button'));
  expect(screen.getByText('loading')).toBeDefined();
  next.resolve(answer);
  expect(await screen.findByText('checked')).toBeDefined();
});

it('names both sizes of a mail that the mail server would refuse, and what to do; a test meets it too', async () => {
  logInAs();
  const mail = { warnings: [{ kind: 'too_large', text: '123456/102400' }] };
  fakeApi({
    'POST /mail/preview/5': () => ok({ total: 1, mail, skipped: [], legal_faults: [], without_source: 0 }),
  });
  renderPart(<Checked />);
  expect(
    await screen.findByText(
      'メールが大きすぎて送れません（約120.6 KB）。メールサーバーが受け取れるのは100 KBまでです。本文を短くするか、埋め込んだ画像をリンクに変えてください',
    ),
  ).toBeDefined();
});
