import { describe, expect, test } from 'vitest';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { RUN_LEGAL } from '#test/mailing.ts';
import { mergeKeysOf } from './merge-keys.ts';
import { type MailTarget, type RunMail, renderMail, TemplateFault } from './run-mail.ts';

const mail = (parts: Partial<RunMail>): RunMail => ({
  subject: '件名',
  text_body: '本文',
  html_body: '<p>本文</p>',
  sender: { person_in_charge: '田中', email: 'tanaka@example.com', bcc: [], reply_to: null, signature: '' },
  account: { name: '田中', company: '株式会社A' },
  candidate_dates: [],
  legal: RUN_LEGAL,
  ...parts,
});
const target = { company_name: '<b>株式会社B</b> & Co.', person_in_charge: '' };

/** Renders a mail without its footer, which has tests of its own. */
function renderOwn(parts: Partial<RunMail>, to: MailTarget = target) {
  const { subject, text, html } = renderMail(mail(parts), to);
  return {
    subject,
    text: text.replace(/\n\n-{60}\n.*$/s, ''),
    html: html.replace(/<span style="display:.*<\/span>\n/s, ''),
  };
}

describe('fields', () => {
  test('are filled in; HTML is escaped in HTML alone', () => {
    const rendered = renderOwn({
      subject: '{{ company_name }}様へ',
      text_body: '{{ company_name }} {{ person_in_charge }} {{ sender.email }} {{ account.company }}',
      html_body: '<p>{{ company_name }}</p>',
    });
    expect(rendered.subject).toBe('<b>株式会社B</b> & Co.様へ');
    expect(rendered.text).toBe('<b>株式会社B</b> & Co. ご担当者様 tanaka@example.com 株式会社A');
    expect(rendered.html).toBe('<p>&lt;b&gt;株式会社B&lt;/b&gt; &amp; Co.</p>');
  });

  test('candidate dates are one line each, or a list to loop over', () => {
    const dates = ['・11月24日(火) 9:00〜18:00', '・11月25日(水) 9:00〜18:00'];
    const rendered = renderOwn({
      candidate_dates: dates,
      text_body: '候補日\n{{ candidate_dates }}',
      html_body: '{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}',
    });
    expect(rendered.text).toBe(['候補日', ...dates].join('\n'));
    expect(rendered.html).toBe(`${dates.join('<br>')}<br>`);
  });

  test('a signature keeps its lines, as text and in HTML, where it is escaped; it holds no merge fields', () => {
    const signature = '株式会社A\n<script>alert("1")</script>\n{{ company_name }}';
    const sender = { person_in_charge: '田中', email: 'tanaka@example.com', bcc: [], reply_to: null, signature };
    const body = '。{% if sender.signature != "" %}{{ sender.signature }}{% else %}なし{% endif %}';
    const signed = renderOwn({ sender, text_body: body, html_body: body });
    expect(signed.text).toBe(`。${signature}`);
    expect(signed.html).toBe('。株式会社A<br>&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;<br>{{ company_name }}');
    expect(renderOwn({ text_body: body, html_body: body })).toMatchObject({
      text: '。なし',
      html: '。なし',
    });
  });

  test("Liquid syntax in a company's name stays text", () => {
    expect(renderOwn({ text_body: '{{ company_name }}' }, { ...target, company_name: '{{ sender.email }}' }).text).toBe(
      '{{ sender.email }}',
    );
  });
});

const values = (rank: string, name = '') => ({
  custom: { rank, 'unnamed key': 'x' },
  person: { name, department: name && '購買部', title: '' },
});

test("own fields and people are each mail's own, escaped in HTML alone, and blank where nothing is stored", () => {
  const body = 'ランク{{ custom.rank }}、{{ person.department }} {{ person.name }}';
  const run = mail({ subject: '{{ custom.rank }}のご案内', text_body: body, html_body: body });
  const shown = (merge_values: MailTarget['merge_values']) => {
    const { subject, text, html } = renderMail(run, { ...target, merge_values: merge_values ?? null });
    return [subject, text.split('\n')[0], html.split('<span')[0]];
  };
  expect(shown(values('A', '佐藤'))).toStrictEqual(['Aのご案内', 'ランクA、購買部 佐藤', 'ランクA、購買部 佐藤']);
  expect(shown(values('<b>'))).toStrictEqual(['<b>のご案内', 'ランク<b>、 ', 'ランク&lt;b&gt;、 ']);
  expect(shown({})).toStrictEqual(['のご案内', 'ランク、 ', 'ランク、 ']);
  expect(shown(null)).toStrictEqual(['のご案内', 'ランク、 ', 'ランク、 ']);
  expect(shown({ person: values('', '佐藤').person })).toStrictEqual([
    'のご案内',
    'ランク、購買部 佐藤',
    expect.anything(),
  ]);
});

test('a follow-up answers the subject that its first mail had', () => {
  const first = { messageId: '<1@a>', mail: mail({ subject: '{{ custom.rank }}の件' }) };
  const of = (rank: string) => ({ ...first, target: { ...target, merge_values: values(rank) } });
  expect(renderMail(mail({}), { ...target, follows: of('B') }).subject).toBe('Re: Bの件');
});

test('the keys of a run are those that any of its parts names, in any branch', () => {
  const keysOf = (parts: Partial<RunMail>) => mergeKeysOf(mail(parts));
  expect(keysOf({})).toStrictEqual({ custom: [], person: false });
  expect(
    keysOf({
      subject: '{{ custom.b }}件',
      text_body: '{% if custom.c == "x" %}{{ "x" | default: custom.a }}{% else %}。{% endif %}本文',
      html_body: '{% for line in candidate_date_lines %}{% else %}{{ custom["d"] }}{% endfor %}{{ person.title }}',
    }),
  ).toStrictEqual({ custom: ['a', 'b', 'c', 'd'], person: true });
  expect(keysOf({ text_body: '{% raw %}{{ custom.a }}{% endraw %}{{ person_in_charge }}' })).toStrictEqual(keysOf({}));
  expect(keysOf({ html_body: '{{ ["\\143ustom"].rank }}' }).custom).toStrictEqual(['rank']);
  const loop = '{% for custom in candidate_date_lines %}{{ custom.size }}{% endfor %}';
  expect(keysOf({ html_body: loop })).toStrictEqual(keysOf({}));
});

test('a later mail of a run is rendered as if it were alone', () => {
  const body = [
    ...MERGE_FIELDS.map((field) => `${field}: {{ ${field} }}`),
    '{{ custom.rank }} {{ custom.rank | downcase }} {{ custom.rank.size }} {{ custom["rank"] }}',
    '{% if person.name != "" %}{{ person.title | default: person.department }}{% endif %}',
    '{{ company_name | upcase }} {{ "x" | default: company_name }} {{ company_name.size }}',
    '{% if person_in_charge == "佐藤 様" %}{{ account.name }}{% else %}-{% endif %}',
    '{% if account.name == "x" %}{% elsif true %}{% unless false %}{{ company_name }}{% endunless %}{% endif %}',
    '{% case account.name %}{% when company_name %}same{% else %}other{% endcase %}',
    '{% for company_name in candidate_date_lines %}{{ company_name }}{{ person_in_charge }}{% endfor %}',
  ].join('\n');
  const parts = { subject: '{{ company_name }} {{ account.name }}', text_body: body, html_body: body };
  const run = mail({ ...parts, candidate_dates: ['11月24日', '11月25日'] });
  renderMail(run, { ...target, mail_key: 'a'.repeat(32) });
  const sent = { mail_key: 'b'.repeat(32), person_id: 1, merge_values: values('B', '佐藤') };
  const later = { company_name: run.account.name, person_in_charge: '佐藤', ...sent };
  expect(renderMail(run, later)).toStrictEqual(renderMail(structuredClone(run), later));
});

describe('a fault of a template', () => {
  test('names the part of the mail', () => {
    const broken = { subject: '{{ a }}', text_body: '本文{{ b }}', html_body: '{% assign c = 1 %}' };
    const faultOf = (parts: Partial<RunMail>) => () => renderMail(mail(parts), target);
    expect(faultOf({ subject: broken.subject })).toThrow('テンプレートの件名を確認してください（1行目：「a」');
    expect(faultOf({ text_body: broken.text_body })).toThrow('テンプレートの本文（テキスト）を確認');
    expect(faultOf({ html_body: broken.html_body })).toThrow('テンプレートの本文（HTML）を確認');
  });

  test.each(['', '   ', '件名\r\nBcc: x@example.com', '件\n名', '件\0名'])(
    'bad-inputs 96, 97, 100, 102, 103: refuses the subject %j',
    (subject) => {
      expect(() => renderMail(mail({ subject }), target)).toThrow(TemplateFault);
    },
  );

  test("bad-inputs 96: refuses a subject that a field's line break would split", () => {
    expect(() =>
      renderMail(mail({ subject: '{{ company_name }}へ' }), { ...target, company_name: 'A\r\nBcc: x@example.com' }),
    ).toThrow(TemplateFault);
  });
});
