import { dayOf } from '#domain/time/tokyo-time.ts';
import { domainOf, type FullTenant } from './full-tenant.ts';

/**
 * Makes random requests from the API's own OpenAPI document.
 * Most are well-formed; they use ids and secrets of two accounts.
 */

export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly contentMediaType?: string;
  readonly minItems?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

export interface Operation {
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { content: Readonly<Record<string, { schema: Schema }>> };
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export interface RandomCall {
  /** A method with a path, such as `GET /account/{id}`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The fields that an existing row accepts in an update. */
const UPDATED = ['datetime_list', 'attack_list', 'active', 'remarks'];

/** Rounds down to the hour, as reservations start on quarters of an hour. */
const onTheHour = (time: number) => new Date(Math.floor(time / HOUR_MS) * HOUR_MS).toISOString();

/** Returns a generator of numbers in [0, 1) for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function randomCalls(
  { paths, components }: ApiDocument,
  { victim, asker, random }: { victim: FullTenant; asker: FullTenant; random: () => number },
): () => RandomCall {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const chance = (share: number) => random() < share;
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

  const ids = (kind: (tenant: FullTenant) => number) => pick([kind(victim), kind(victim), kind(asker), 2 ** 40]);
  const idOf: Record<string, () => number> = {
    account_id: () => ids(({ accountId }) => accountId),
    sender_group_id: () => ids(({ senderGroupId }) => senderGroupId),
    sender_id: () => ids(({ senderId, unconfirmedSenderId }) => pick([senderId, unconfirmedSenderId])),
    template_id: () => ids(({ templateId }) => templateId),
    mail_template_id: () => ids(({ templateId, spareTemplateId }) => pick([templateId, spareTemplateId])),
    copy_of: () => ids(({ templateId }) => templateId),
    mail_template_folder_id: () => ids(({ folderId }) => folderId),
    folder_id: () => ids(({ folderId }) => folderId),
    // The numbers of template versions.
    number: () => pick([1, 2]),
    prospect_id: () => ids(({ prospectIds }) => pick(prospectIds)),
    reservation_id: () => ids(({ reservationId }) => reservationId),
    send_log_id: () => ids(({ sendLogId, openRunId }) => pick([sendLogId, openRunId])),
    job_id: () => ids(({ jobId }) => jobId),
    import_id: () => ids(({ importId, doneImportId }) => pick([importId, doneImportId])),
    import_run_id: () => ids(({ importId }) => importId),
    saved_condition_id: () => ids(({ conditionId }) => conditionId),
    reply_id: () => ids(({ replyId }) => replyId),
    follow_up_of: () => ids(({ sendLogId }) => sendLogId),
    mailbox_id: () => ids(({ mailboxId, googleMailboxId }) => pick([mailboxId, googleMailboxId])),
    suppression_id: () => ids(({ suppressionId }) => suppressionId),
    notice_id: () => ids(({ noticeId }) => noticeId),
    until_id: () => ids(({ noticeId }) => noticeId),
    export_id: () => ids(({ jobId }) => jobId),
    delivery_id: () => ids(({ unknownDeliveryId }) => unknownDeliveryId),
  };
  const anyId = () => pick(Object.values(idOf))();
  const secrets = () => pick([victim.secret, victim.ticket, asker.secret, asker.ticket, 'x'.repeat(43)]);
  /** Values for any header. Besides SendGrid's, whose events nobody can sign, the only one is Idempotency-Key. */
  const keys = () => pick([victim.key, victim.key, asker.key, `new-${random()}`]);
  /** Returns an id of the path's resource, for a parameter or filter named `id`. */
  const idAt = (path: string) => {
    const [first = '', second = ''] = path.split('/').slice(1);
    const thing = first === 'auth' || second === 'send' ? 'account' : first;
    return (idOf[`${thing}_id`] ?? anyId)();
  };

  function text(name: string): string {
    if (name.includes('token')) return secrets();
    // Anyone with a mailed key may use it, so the other account's keys are not used.
    if (name === 'key') return pick([asker.senderSecret, asker.resetKey, 'x'.repeat(43)]);
    if (/email|mail_to/.test(name)) return pick(['someone@example.com', 'test+[n]@example.com', victim.pending, '']);
    if (name.includes('password')) return pick([asker.password, '次の馬 電池 ホチキス 橋']);
    if (name === 'state') return pick([victim.consentState, asker.consentState, 'x'.repeat(43)]);
    if (name === 'domain') return pick([domainOf(victim.marker), domainOf(asker.marker), 'example.com', 'a;b']);
    if (name === 'values') return pick([victim.pending, 'someone@example.com', '@example.co.jp', '@co.jp']);
    if (/^(before_)?(from|to)$/.test(name)) return pick(['2026-11-20', '2026-11-21', '2026-10-01', '2026-02-30']);
    if (name === 'consented_on') return pick(['2026-11-20', '2026-02-30', '']);
    if (/_at$|^gte?$|^lte?$/.test(name)) return onTheHour(Date.now() + (random() - 0.3) * 1e9);
    if (name === 'date') return dayOf(Date.now() + Math.floor(random() * 14) * DAY_MS);
    if (name.endsWith('_time')) return pick(['9:00', '10:15', '25:00']);
    return pick(['東京', '製造業', '', '%', "' OR account_id > 0 --"]);
  }

  function value(schema: Schema, name: string, path: string): unknown {
    if (schema.$ref) return value(components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name, path);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return pick(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) {
      const chosen = pick(choices);
      const other = choices.find((choice) => choice !== chosen) ?? {};
      return chosen.contentMediaType ? JSON.stringify(value(other, name, path)) : value(chosen, name, path);
    }
    const type = typeof schema.type === 'object' ? pick(schema.type) : schema.type;
    return (makers[type ?? ''] ?? text)(name, path, schema);
  }

  function number(name: string, path: string): unknown {
    if (name === 'id') return idAt(path);
    if (name === 'ids') return idOf.prospect_id?.() ?? 1;
    if (idOf[name]) return idOf[name]();
    return name.endsWith('_id') || name.includes('attack_list') ? anyId() : pick([0, 1, 7, 10, 50]);
  }

  const makers: Record<string, (name: string, path: string, schema: Schema) => unknown> = {
    integer: number,
    number,
    array(name, path, { minItems = 0, items = {} }) {
      const most = name.includes('attack_list') ? 4 : 2;
      const length = Math.max(minItems, Math.floor(random() * most));
      return Array.from({ length }, () => value(items, name, path));
    },
    object(_, path, schema) {
      const properties = Object.entries(schema.properties ?? {});
      // A long form with many random fields would almost never be valid.
      const share = properties.length > 10 ? 0.1 : 0.4;
      const made = properties.flatMap(([key, property]) =>
        schema.required?.includes(key) || chance(share) ? [[key, value(property, key, path)] as const] : [],
      );
      // The update must have the same values as the row to add: otherwise the call is refused as malformed.
      const twin = new Map(made).get('add_info') as Record<string, unknown> | undefined;
      if (twin && schema.properties?.duplicate_key_update_info && chance(0.9)) {
        const same = Object.entries(twin).filter(([key]) => UPDATED.includes(key));
        made.push(['duplicate_key_update_info', Object.fromEntries(same)]);
      }
      const smuggled = chance(0.02) ? [['account_id', victim.accountId] as const] : [];
      return Object.fromEntries([...made, ...smuggled]);
    },
    null: () => null,
    boolean: () => chance(0.5),
  };

  /** Encodes a query as axios does: objects and arrays in brackets. */
  function* query(name: string, given: unknown): Generator<string> {
    if (Array.isArray(given)) for (const item of given) yield* query(`${name}[]`, item);
    else if (typeof given === 'object' && given !== null)
      for (const [key, item] of Object.entries(given)) yield* query(`${name}[${key}]`, item);
    else yield `${encodeURIComponent(name)}=${encodeURIComponent(String(given))}`;
  }

  return () => {
    const { path, method, operation } = pick(operations);
    const parameters = operation.parameters ?? [];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (name === 'id') return String(idAt(path));
      const { enum: names } = parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {};
      return String(names ? pick(names) : (idOf[name] ?? anyId)());
    });
    const asked = parameters
      .filter((parameter) => parameter.in === 'query' && (parameter.required || chance(0.4)))
      .flatMap(({ name, schema }) => [...query(name, value(schema, name, path))]);
    const headers = Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'header' && (parameter.required || chance(0.4)))
        .map(({ name }) => [name, keys()]),
    );
    const { content = {} } = operation.requestBody ?? {};
    const schema = content['application/json']?.schema;
    return {
      operation: `${method} ${path}`,
      method,
      path: asked.length > 0 ? `${filled}?${asked.join('&')}` : filled,
      headers,
      body: content['application/octet-stream'] ? Buffer.from(text('')) : schema && value(schema, '', path),
    };
  };
}
