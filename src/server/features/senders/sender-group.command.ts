import type { LegalProfile } from '#domain/law/profile.ts';
import type { Db } from '../../platform/database/db.ts';
import { addLegalProfile } from '../legal-profile/update-legal-profile.command.ts';
import { ADDRESSEE, bodiesOf, FIRST_GREETING } from '../mail-content/letter-blocks.ts';

/** A template's content that the program writes. */
export interface Letter {
  readonly name: string;
  readonly text_body: string;
  readonly html_body: string;
  /** The editor that opens it; default: HTML. */
  readonly editor?: 'rich';
  /** Whether the simple editor derives the text from the HTML. */
  readonly text_follows?: boolean;
}

export interface NewSender {
  /** The subject of its template, which the sender uses. */
  readonly subject: string;
  readonly person_in_charge: string;
  readonly email: string;
  /** The lines at the end of its mails; default: none. */
  readonly signature?: string;
  readonly template: Letter;
}

export interface NewSenderGroup {
  readonly group_name: string;
  readonly senders: readonly NewSender[];
  /** The known fields of its legal profile. */
  readonly legal: Partial<LegalProfile>;
  /** When the profile was confirmed; null: a person must confirm it. */
  readonly legalConfirmedAt: Date | null;
}

/** Inserts a group with its senders and their templates, in the caller's transaction. */
export async function addSenderGroup(
  tx: Db,
  account_id: number,
  { group_name, senders, legal, legalConfirmedAt }: NewSenderGroup,
): Promise<void> {
  const { id: sender_group_id } = await tx
    .insertInto('sender_group')
    .values({ account_id, group_name })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addLegalProfile(tx, { accountId: account_id, senderGroupId: sender_group_id }, legal, legalConfirmedAt);
  for (const { template, subject, ...sender } of senders) {
    const { id: template_id } = await tx
      .insertInto('mail_template')
      .values({ account_id, subject, ...template })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: profile_id } = await tx
      .insertInto('sender_profile')
      .values({ account_id, sender_group_id, ...sender })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.insertInto('sender').values({ account_id, sender_group_id, profile_id, template_id }).execute();
  }
}

interface FirstSender {
  readonly name: string;
  readonly email: string;
  readonly company: string;
  /** The known fields of the legal profile besides the company's name. */
  readonly legal?: Partial<LegalProfile>;
}

/** The template of a new account, as the simple editor writes templates. */
const STARTER: Letter = {
  name: 'ご挨拶',
  ...bodiesOf([
    ADDRESSEE,
    FIRST_GREETING,
    'このたび、貴社の事業を拝見し、ぜひ一度ご挨拶をさせていただきたくご連絡いたしました。',
    {
      datesAfter:
        'もしご興味をお持ちいただけましたら、下記の日程でオンラインにて30分ほどお時間をいただけませんでしょうか。',
    },
    '何卒よろしくお願い申し上げます。',
    '{{ account.company }}\n{{ sender.person_in_charge }}\nメール: {{ sender.email }}',
    '{{ legal_footer }}',
  ]),
  editor: 'rich',
  text_follows: true,
};

/**
 * Returns the group of a new account, named after the company.
 * It has one sender with the person's own address, so that every screen works at once. The address also receives
 * inquiries and opt-outs until a member names others. A person must confirm the profile before real mails are sent.
 */
export const starterGroup = ({ name, email, company, legal = {} }: FirstSender): NewSenderGroup => ({
  group_name: company,
  legal: { official_name: company, contact_email: email, refusal_email: email, ...legal },
  legalConfirmedAt: null,
  senders: [{ subject: 'ご挨拶', person_in_charge: name, email, template: STARTER }],
});
