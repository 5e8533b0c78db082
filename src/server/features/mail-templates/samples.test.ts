import { describe, expect, test } from 'vitest';
import { PUBLIC_URL } from '#test/mailing.ts';
import { LEGAL_PROFILE } from '#test/prospects.ts';
import { DEMO_GROUPS } from '../demo/demo-content.ts';
import { mailWarnings } from '../mail-content/mail-warnings.ts';
import { type RunMail, renderMail } from '../mail-content/run-mail.ts';
import { starterGroup } from '../senders/sender-group.command.ts';
import { BLANK_TEMPLATE, TEMPLATE_SAMPLES } from './samples.ts';

const DATES = ['・11月24日(火) 9:00〜18:00'];
const TARGET = { company_name: '株式会社みどり製作所', person_in_charge: '緑川 花子' };

const mailOf = (content: Pick<RunMail, 'subject' | 'text_body' | 'html_body'>, candidate_dates: string[]): RunMail => ({
  ...content,
  sender: { person_in_charge: '田中 直樹', email: 'tanaka@example.jp', bcc: [], reply_to: null, signature: '' },
  account: { name: '田中 直樹', company: '株式会社架空商事' },
  candidate_dates,
  legal: { ...LEGAL_PROFILE, public_url: PUBLIC_URL },
});

/** The words of a body, without marks, tags and white space. */
const words = (body: string) => body.replace(/<[^>]*>|[・\s]|-{60}/g, '');

/** The template of a new account. */
const STARTERS = starterGroup({ name: '', email: '', company: '' }).senders.map(({ subject, template }) => ({
  ...template,
  key: 'starter',
  subject,
}));

/** The letters of the demo. */
const DEMOS = DEMO_GROUPS.flatMap(({ senders }) => senders).map(({ subject, template }) => ({
  ...template,
  key: template.name,
  subject,
}));

test('the letters of the demo open in the simple editor, which writes their text', () => {
  expect(DEMOS.map(({ editor, text_follows }) => [editor, text_follows])).toStrictEqual(
    DEMOS.map(() => ['rich', true]),
  );
  expect(DEMOS).toHaveLength(4);
});

describe.each([...TEMPLATE_SAMPLES, ...STARTERS, ...DEMOS, { ...BLANK_TEMPLATE, key: 'blank', subject: '件名' }])(
  '$key',
  (sample) => {
    test.each([[DATES], [[]]])('has equal bodies and nothing to warn of, with the dates %j', (dates) => {
      const mail = mailOf(sample, dates);
      const rendered = renderMail(mail, TARGET);
      expect(mailWarnings(mail, TARGET, rendered, Date.parse('2026-11-23'))).toStrictEqual([]);
      expect(words(rendered.html)).toBe(words(rendered.text));
      expect(rendered.text).not.toMatch(/\n{3,}|\{/);
    });
  },
);
