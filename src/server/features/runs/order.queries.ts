/*
 * What an order is made from: its sender with the template, what the law asks, and its targets. Sends, reservations and
 * previews read it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { AskedTarget } from '#contract/companies/attack-list.ts';
import { BLANK_PROFILE, type LegalFault, profileFaults } from '#domain/law/profile.ts';
import { isPublicHttps } from '#domain/law/refusal-place.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { testAddress } from '#domain/sending/attack-list.ts';
import { type BlockReason, resendCutoff, type SkipReason } from '#domain/sending/eligibility.ts';
import { listJudge } from '#domain/sending/rules/domain-limit.ts';
import type { Tx } from '../../platform/database/db.ts';
import { SLICE_ROWS, slicesOf } from '../../platform/database/driver/insert-rows.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import { Problem } from '../../platform/problem.ts';
import { chosenPerson, greeted, mailAddress } from '../attack-list/chosen-address.queries.ts';
import { readDomainLimit } from '../attack-list/domain-limit.queries.ts';
import type { EligibilityScope } from '../attack-list/eligibility.queries.ts';
import { blockReason } from '../attack-list/eligibility-rules.queries.ts';
import { type FollowUpReason, followableByAnybody, followableMails } from '../attack-list/follow-up.queries.ts';
import { loadLegalProfile, placeMailbox } from '../legal-profile/legal-profile.queries.ts';
import type { RunLegal } from '../mail-content/legal-footer.ts';
import { listReadMailboxes, type MailboxSender, mailboxAt } from '../mailboxes/read-mailboxes.queries.ts';
import { FROM_OF_PROFILE, maySendFrom } from '../sender-addresses/may-send-from.queries.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';

export type LoadedSender = NonNullable<Awaited<ReturnType<typeof loadSender>>>;

/**
 * Loads an active sender of an active group, with its mails' template, company and person.
 * @param memberId the member whose name the mails show; null: unknown, so the account's first member
 * @returns undefined if the account has no such active sender
 */
export function loadSender(
  tx: Tx,
  { accountId, memberId, senderId }: { accountId: number; memberId: number | null; senderId: number },
) {
  return tx
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .innerJoin('sender_group', (join) =>
      join
        .onRef('sender_group.account_id', '=', 'sender.account_id')
        .onRef('sender_group.id', '=', 'sender.sender_group_id'),
    )
    .innerJoin('mail_template', (join) =>
      join
        .onRef('mail_template.account_id', '=', 'sender.account_id')
        .onRef('mail_template.id', '=', 'sender.template_id'),
    )
    .innerJoin('account', 'account.id', 'sender.account_id')
    .innerJoin('member', (join) =>
      join.onRef('member.account_id', '=', 'sender.account_id').on('member.id', '=', ({ fn, selectFrom }) =>
        fn.coalesce(
          sql<number | null>`${memberId}::bigint`,
          selectFrom('member as first')
            .select(({ fn: { min } }) => min('first.id').as('id'))
            .whereRef('first.account_id', '=', 'sender.account_id'),
        ),
      ),
    )
    .select([
      // By its mailbox; without one, if its address is confirmed.
      maySendFrom(FROM_OF_PROFILE).as('may_send'),
      'sender.id',
      'sender.sender_group_id',
      'sender.profile_id',
      'sender.template_id',
      'sender_profile.person_in_charge',
      'sender_profile.email',
      'sender_profile.bcc',
      'sender_profile.reply_to',
      'sender_profile.mailbox_id',
      'sender_profile.signature',
      'mail_template.text_body',
      'mail_template.html_body',
      'mail_template.sendgrid_template_id',
      'mail_template.sendgrid_footer_confirmed_at',
      'member.name as account_name',
      'member.email as member_email',
      'account.company as account_company',
    ])
    .select(({ fn }) => fn.coalesce('sender.subject', 'mail_template.subject').as('subject'))
    .where('sender.account_id', '=', accountId)
    .where('sender.id', '=', senderId)
    .where('sender.active', '=', true)
    .where('sender_group.active', '=', true)
    .executeTakeFirst();
}

/** The legal profile of a run, and its faults. */
export interface LegalState {
  /** The profile as stored with the run. */
  readonly legal: RunLegal;
  /** The faults of the profile. */
  readonly faults: readonly LegalFault[];
}

/** Reads the profile for a run of the group. @param publicUrl the origin of the web client */
export async function loadLegalState(
  tx: Tx,
  { accountId, senderGroupId }: { readonly accountId: number; readonly senderGroupId: number },
  publicUrl: string,
  sender: MailboxSender & { readonly reply_to: string | null },
): Promise<LegalState> {
  const stored = await loadLegalProfile(tx, accountId, senderGroupId);
  const { profile, isConfirmed } = stored ?? { profile: BLANK_PROFILE, isConfirmed: false };
  if (isPublicHttps(publicUrl)) {
    return { legal: { ...profile, public_url: publicUrl }, faults: profileFaults(profile, isConfirmed, publicUrl) };
  }
  const mailboxes = await listReadMailboxes(tx, accountId);
  const place = placeMailbox(mailboxes, profile, sender);
  const answers = mailboxAt(mailboxes, sender.reply_to ?? sender.email);
  const legal: RunLegal = {
    ...profile,
    refusal_email: profile.refusal_email || (place?.address ?? ''),
    public_url: null,
    ...(place && { refusal_mailbox: place.id }),
    ...(answers && { answer_mailbox: answers.id }),
  };
  return { legal, faults: profileFaults(profile, isConfirmed, publicUrl, place !== undefined) };
}

/** A requested target. `followUpOf`: the run whose mail is followed up; absent: a first mail. */
export type ListedTarget = AskedTarget & { readonly followUpOf?: number | undefined };

/** The columns of a delivery that come from its prospect. */
export interface Target {
  readonly prospect_id: number;
  /** The position in the requested list, from 0. */
  readonly row_index: number;
  readonly company_name: string;
  /** The name that the mail greets: the company's ceo, or its chosen person. */
  readonly person_in_charge: string;
  /** The person who is mailed; null: the company is. */
  readonly person_id: number | null;
  /** For reports, because the company's industry may change. */
  readonly industry_id: number | null;
  /** Null for a skipped target without an address. */
  readonly mail_to: string | null;
  /** The followed mail; absent: a first mail. */
  readonly follows_id?: number;
}

export interface PickedTargets {
  readonly targets: readonly Target[];
  /** `target` is null if no delivery can record the reason: the prospect is unknown, or repeated. */
  readonly skipped: readonly { prospect_id: number; reason: SkipReason; target: Target | null }[];
}

/** Marks each target as a follow-up of a run. @param followUpOf undefined: the mails are first mails */
export const followUpTargets = (
  targets: readonly AskedTarget[],
  followUpOf: number | undefined,
): readonly ListedTarget[] =>
  followUpOf === undefined ? targets : targets.map((target) => ({ ...target, followUpOf }));

interface Scope {
  readonly accountId: number;
  readonly senderGroupId: number;
  readonly daysFromLastday: number;
  readonly sendTo: SendTo;
  readonly test: boolean;
  readonly exceptReservationId?: number;
  readonly holdsDoubted?: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Picks the targets of a list that may be mailed now, and gives the reason for each of the others.
 * A test run skips the same prospects as a real run, except sample companies, which only tests may have. Mails go to
 * the prospect's chosen address; those of a test to the address that the client sent.
 * @returns the targets in list order; or 400 for an invalid test address
 */
export async function pickTargets(
  tx: Tx,
  asked: readonly ListedTarget[],
  scope: Scope,
): Promise<PickedTargets | Problem> {
  const rule = await readAccountRule(tx, scope.accountId);
  const prospects = await readProspects(tx, asked, { ...scope, acrossGroups: rule.across_groups === 1 });
  const emails = [...prospects.values()].flatMap(({ address, reason }) => (reason ? [] : (address ?? [])));
  const judge = listJudge(await readDomainLimit(tx, scope.accountId, emails, rule.per_domain));
  const targets: Target[] = [];
  const skipped: PickedTargets['skipped'][number][] = [];
  const seenIds = new Set<number>();
  for (const [row_index, { prospect_id, company_email }] of asked.entries()) {
    const prospect = prospects.get(prospect_id);
    if (!prospect || seenIds.has(prospect_id)) {
      skipped.push({ prospect_id, reason: prospect ? 'duplicate' : 'not_found', target: null });
      continue;
    }
    seenIds.add(prospect_id);
    const mail_to = scope.test ? readTestAddress(company_email, row_index) : prospect.address;
    if (mail_to instanceof Problem) return mail_to;
    const target = targetOf(prospect, row_index, mail_to);
    // Several prospects may share an address, which gets one mail of the run.
    const reason = skipReason(prospect, mail_to, scope) ?? judge(prospect.address ?? '');
    if (reason === null) targets.push(target);
    else skipped.push({ prospect_id, reason, target });
    if (row_index % SLICE_ROWS === SLICE_ROWS - 1) await nextTurn();
  }
  return { targets, skipped };
}

function targetOf(prospect: JudgedProspect, row_index: number, mail_to: string | null): Target {
  const { id: prospect_id, company_name, ceo, person, major_industry_id: industry_id, follows_id } = prospect;
  const of = { person_in_charge: greeted(person, ceo), person_id: person?.id ?? null };
  const target = { prospect_id, row_index, company_name, ...of, industry_id, mail_to };
  return follows_id === null ? target : { ...target, follows_id };
}

/** Returns why a prospect gets no mail; null: only the rest of the list can still exclude it. */
function skipReason({ is_sample, reason }: JudgedProspect, mailTo: string | null, { test }: Scope): SkipReason | null {
  if (is_sample && !test) return 'sample';
  return reason ?? (mailTo === null ? 'no_email' : null);
}

/**
 * Validates the test address of one row, with `[n]` replaced by the row's number.
 * @returns null if the client sent null; a test never uses the prospect's own address
 */
function readTestAddress(written: AskedTarget['company_email'], rowIndex: number): string | null | Problem {
  if (written === null) return null;
  const address = parseMailAddress(testAddress(written ?? '', rowIndex));
  return address.ok
    ? address.address
    : new Problem('invalid_test_address', 'テスト送信先のメールアドレスを確認してください。');
}

/** Reads the prospects of a list by id. Those of a reservation may follow up several runs. */
async function readProspects(tx: Tx, asked: readonly ListedTarget[], scope: JudgedScope) {
  const found = new Map<number, JudgedProspect>();
  for (const [followUpOf, targets] of Map.groupBy(asked, (target) => target.followUpOf)) {
    for (const slice of slicesOf(targets)) {
      for (const row of await readJudged(tx, slice, { ...scope, followUpOf })) found.set(row.id, row);
    }
  }
  return found;
}

type JudgedScope = Scope & Pick<EligibilityScope, 'acrossGroups'>;
type JudgedProspect = Awaited<ReturnType<typeof readJudged>>[number];

function readJudged(
  tx: Tx,
  asked: readonly ListedTarget[],
  { daysFromLastday, now, ...scope }: JudgedScope & { readonly followUpOf: number | undefined },
) {
  const cutoff = new Date(resendCutoff(now, daysFromLastday));
  const firstMail = (mails: ReturnType<typeof followableMails>) =>
    sql<number | null>`(${mails.select('first.id').whereRef('first.prospect_id', '=', sql.ref('prospect.id'))})`;
  const { followUpOf } = scope;
  const followsId =
    followUpOf === undefined ? sql<number | null>`NULL::bigint` : firstMail(followableMails(scope, followUpOf));
  const reason = blockReason({ ...scope, cutoff });
  const judged =
    followUpOf === undefined
      ? reason
      : sql`coalesce(${reason}, CASE WHEN ${followsId} IS NULL THEN
          CASE WHEN ${firstMail(followableByAnybody(scope, followUpOf))} IS NULL THEN 'not_followable'
            ELSE 'other_person' END END)`;
  return tx
    .selectFrom('prospect')
    .select([
      'prospect.id',
      'prospect.company_name',
      mailAddress(scope.sendTo).as('address'),
      chosenPerson(scope.sendTo).as('person'),
      'prospect.ceo',
      'prospect.major_industry_id',
      followsId.as('follows_id'),
      sql<BlockReason | FollowUpReason | null>`${judged}`.as('reason'),
      sql<boolean>`EXISTS (
        SELECT FROM sample_company AS sample
        WHERE sample.account_id = ${scope.accountId} AND sample.prospect_id = prospect.id)`.as('is_sample'),
    ])
    .where('prospect.account_id', '=', scope.accountId)
    .where('prospect.id', '=', sql<number>`any(${asked.map(({ prospect_id }) => prospect_id)}::bigint[])`)
    .execute();
}
