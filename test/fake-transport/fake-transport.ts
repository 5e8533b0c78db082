import type { Transport } from '#server/features/delivery/transports/transport.ts';
import { renderMail } from '#server/features/mail-content/run-mail.ts';

/** A mail that the fake transport has accepted. */
export interface FakeMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * A third transport for tests.
 * It appends mails to `taken`, two of a run at a time, and adds a line to their text.
 */
export const fakeTransport = (taken: FakeMail[]): Transport => ({
  bodiesOf: ({ text_body, html_body }) => ({ text_body: `${text_body}\nby the fake transport`, html_body }),
  editorUrl: () => 'https://editor.example/{template_id}',
  mailPath: { kind: 'service', name: 'Fake', spfInclude: 'fake.example', selectors: ['fake'] },
  watchMaxMailBytes: () => {},
  mostMails: 2,
  mailsWith: () => 2,
  openLane: () => ({
    async send(claims, mark) {
      const marks = await mark(claims);
      return claims.map((claim, index) => {
        if (marks[index] !== true) return { kind: 'claim-lost' };
        const { subject, text } = renderMail(claim.mail, claim.target);
        taken.push({ to: claim.mailTo, subject, text });
        return { kind: 'sent', reply: '250 taken by the fake transport' };
      });
    },
    close() {},
  }),
  systemMailer: () => async () => ({ kind: 'sent', reply: '250 taken by the fake transport' }),
});
