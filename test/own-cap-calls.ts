import { MAX_IMPORT_PART_BYTES } from '#domain/company/import-limits.ts';
import {
  MAX_COMPANY_TAGS,
  MAX_FIELD_OPTIONS,
  MAX_IMPORT_TAGS,
  MAX_OWN_COLUMNS,
  MAX_OWN_CONDITIONS,
  MAX_OWN_FIELDS,
  MAX_OWN_LENGTH,
} from '#domain/limits.ts';
import type { FullOwn } from './own-caps.ts';

/** Sends a request: JSON, or bytes. */
export type Ask = (method: string, path: string, body?: object | Buffer) => Promise<{ status: number; text: string }>;

/** A call, or the calls of a job until it ends, at the caps of own data. */
export interface CapCall {
  readonly name: string;
  /** @param round changes what is written. @throws where an answer is not the expected one */
  readonly work: (ask: Ask, round: number) => Promise<void>;
}

async function must<Answer>(ask: Ask, asked: string, body?: object | Buffer, expected = 200): Promise<Answer> {
  const [method = '', path = ''] = asked.split(' ');
  const { status, text } = await ask(method, path, body);
  if (status !== expected) throw new Error(`${asked}: ${status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}

const call = (
  asked: `${'GET' | 'POST' | 'PUT'} ${string}`,
  body?: (round: number) => object,
  expected?: number,
): CapCall => ({
  name: `${asked.split('?')[0]}${expected ? ` (${expected})` : ''}`,
  work: async (ask, round) => void (await must(ask, asked, body?.(round), expected)),
});

/** Returns the calls, each of which may be repeated in this order with another round. */
export function ownCapCalls(full: FullOwn): readonly CapCall[] {
  return [...settings(full), ...ofCompany(full), ...lists(full), ...orders(full), ...jobs(full)];
}

function settings({ fields, options, tags, type }: FullOwn): CapCall[] {
  const [field] = fields;
  // The last options get other names.
  const renamed = (round: number) =>
    options
      .slice(0, MAX_FIELD_OPTIONS)
      .map((id, n) => ({ id, label: `${n + 1}${n < 40 ? '' : `号${round}`}`.padEnd(100, '択') }));
  return [
    call('GET /custom_field/list'),
    call('GET /custom_field/list?counts=1'),
    call('POST /custom_field', () => ({ add_info: { label: '51番目', type: 'text' } }), 409),
    call(`PUT /custom_field/${field?.id}`, (round) => ({
      update_info: { position: (round % MAX_OWN_FIELDS) + 1, ...(type === 'choice' && { options: renamed(round) }) },
    })),
    call('GET /tag/list?counts=1'),
    call('POST /tag', () => ({ add_info: { label: '501番目' } }), 409),
    call(`PUT /tag/${tags[0]}`, (round) => ({ update_info: { colour: round % 8 } })),
  ];
}

/** A written value of each field. */
const valueAt = ({ type }: FullOwn, round: number): string => {
  const length = MAX_OWN_LENGTH / MAX_OWN_FIELDS;
  return type === 'choice' ? `${2 + (round % 8)}`.padEnd(100, '択') : `値${round}`.padEnd(length, '値');
};

function ofCompany(full: FullOwn): CapCall[] {
  const { fields, tags, companies } = full;
  const [first] = companies;
  type Detail = { version: string; people: { id: number; version: string }[] };
  const read = (ask: Ask) => must<Detail>(ask, `GET /prospect/${first}`);
  const own = (round: number) => ({
    tag_ids: tags.slice(round, round + MAX_COMPANY_TAGS),
    custom: Object.fromEntries(fields.map(({ key }) => [key, valueAt(full, round)])),
  });
  const person = { prospect_id: first, name: '新しい人', department: '購買部' };
  return [
    call(`GET /prospect/${first}`),
    {
      name: 'PUT /prospect/:id',
      work: async (ask, round) => {
        const { version } = await read(ask);
        await must(ask, `PUT /prospect/${first}`, { version, update_info: own(round) });
      },
    },
    call('POST /prospect', (round) => ({ add_info: { company_name: `新しい会社${round}`, ...own(round) } })),
    call(`GET /prospect/${first}/timeline`),
    call('POST /person', () => ({ add_info: person }), 409),
    {
      name: 'PUT /person/:id',
      work: async (ask, round) => {
        const { id = 0, version } = (await read(ask)).people.at(-1) ?? {};
        await must(ask, `PUT /person/${id}`, { version, update_info: { title: `部長${round}`, is_primary: 1 } });
      },
    },
    call(`GET /person/check?prospect_id=${first}&name=${encodeURIComponent('佐藤')}`),
    call(`GET /person/find?text=${encodeURIComponent('1')}`),
    call('POST /personal_data/view', () => ({ email: `p1@c${first}.example` })),
  ];
}

function lists(full: FullOwn): CapCall[] {
  const { senderGroupId, fields, options, tags, type, companies } = full;
  const keys = ['tags', ...fields.map(({ key }) => key)].slice(0, MAX_OWN_COLUMNS);
  const shown = `sender_group_id=${senderGroupId}&own_columns=${keys.join()}`;
  // All options of a field, and a word that all values have.
  const wanted = (at: number) =>
    type === 'choice' ? options.slice(MAX_FIELD_OPTIONS * at, MAX_FIELD_OPTIONS * (at + 1)).join() : '値';
  const conditions = fields.slice(0, MAX_OWN_CONDITIONS - 2).map(({ key }, at) => [`custom[${key}]`, wanted(at)]);
  const filter = new URLSearchParams([['tags', tags.join()], ['tags_none', `${tags.at(-1)}`], ...conditions] as [
    string,
    string,
  ][]);
  const bulk = (more: object) => (round: number) => {
    const some = tags.slice(0, MAX_COMPANY_TAGS);
    const ofTags = round % 2 === 0 ? { remove: some } : { add: some.slice(0, 1) };
    // One option each of so many fields.
    const chosen = Array.from(
      { length: MAX_COMPANY_TAGS },
      (_, at) => options[MAX_FIELD_OPTIONS * at + (round % MAX_FIELD_OPTIONS)],
    );
    const label = type === 'choice' ? { add: chosen } : ofTags;
    return { act: 'label', sender_group_id: senderGroupId, label, ...more };
  };
  return [
    call(`GET /prospect/view?${shown}&pagenate_count=200`),
    call(`GET /prospect/view?${shown}&pagenate_count=200&${filter}`),
    call(`GET /attack_list/preview?${shown}&limit_count=1000&send_to=primary_or_company`),
    call(`GET /attack_list/left_out?sender_group_id=${senderGroupId}&reason=no_email&send_to=primary_or_company`),
    call('POST /prospect/bulk', bulk({ ids: companies, dry_run: 1 })),
    call('POST /prospect/bulk', bulk({ ids: companies })),
    call('POST /prospect/bulk', bulk({ condition: {} })),
  ].map((one, at) => (at === 1 ? { ...one, name: `${one.name}, ${MAX_OWN_CONDITIONS} conditions` } : one));
}

function orders({ senderId, companies }: FullOwn): CapCall[] {
  const attack_list = companies.map((prospect_id) => ({ prospect_id }));
  const order = { test_send_mode: 0, days_from_lastday: 0, send_to: 'primary_or_company', attack_list };
  return [
    call(`POST /mail/preview/${senderId}`, () => order),
    call(`POST /mail/check/${senderId}`, () => order),
    {
      name: 'POST /mail/send/:id',
      work: async (ask) => {
        const { send_log_id } = await must<{ send_log_id: number }>(ask, `POST /mail/send/${senderId}`, order);
        await must(ask, `PUT /send_log/${send_log_id}`, { update_info: { state: 'cancelled' } });
      },
    },
  ];
}

async function job(ask: Ask, asked: string, add_info?: object): Promise<void> {
  const { id } = await must<{ id: number }>(ask, asked, add_info ? { add_info } : {});
  for (;;) {
    const { state } = await must<{ state: string }>(ask, `GET /job/${id}`);
    if (state === 'done') return;
    if (state !== 'queued' && state !== 'running') throw new Error(`${asked}: ${state}`);
    // A member may ask 600 times a minute.
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function jobs(full: FullOwn): CapCall[] {
  const exported = (what: string, format: string): CapCall => ({
    name: `POST /export of ${what}, ${format}`,
    work: (ask) => job(ask, 'POST /export', { what, format, sender_group_id: full.senderGroupId }),
  });
  return [
    exported('prospects', 'csv_utf8'),
    exported('prospects', 'xlsx'),
    exported('people', 'csv_utf8'),
    {
      name: 'an import: look, check, run, undo',
      work: async (ask, round) => {
        const file = fileOf(full, round);
        const add_info = { name: 'list.csv', bytes: Buffer.byteLength(file) };
        const { id } = await must<{ id: number }>(ask, 'POST /import', { add_info });
        const content = Buffer.from(file);
        for (let at = 0; at < content.length; at += MAX_IMPORT_PART_BYTES) {
          const part = content.subarray(at, at + MAX_IMPORT_PART_BYTES);
          await must(ask, `PUT /import/${id}/content?start=${at}`, part);
        }
        await must(ask, `GET /import/${id}/look`);
        await job(ask, `POST /import/${id}/check`, {});
        await job(ask, `POST /import/${id}/run`, { mode: 'leave_out' });
        const { counts } = await must<{ counts: { updated: number } }>(ask, `GET /import/${id}`);
        // The row of the first company is refused: it has all people already.
        if (counts.updated !== full.companies.length - 1) throw new Error(`${counts.updated} companies changed`);
        await job(ask, `POST /import/${id}/undo`);
      },
    },
  ];
}

/** A file that changes each value of all companies, gives each a tag more or less, and each a person. */
function fileOf(full: FullOwn, round: number): string {
  const heading = ['会社名', '住所', 'タグ', '氏名', '担当者メール', ...full.fields.map(({ label }) => label)];
  const rows = full.companies.map((id, at) => [
    `会社${at + 1}`,
    '東京',
    `名簿${at % MAX_IMPORT_TAGS}`,
    `取込 ${at}`,
    `i${at}@c${id}.example`,
    ...full.fields.map(() => valueAt(full, round + 1)),
  ]);
  return [heading, ...rows].map((cells) => `${cells.join()}\n`).join('');
}
