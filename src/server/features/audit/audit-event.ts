import type { AccountEvents } from './account-events.ts';
import type { CompanyEvents } from './company-events.ts';
import type { SenderEvents } from './sender-events.ts';
import type { SendingEvents } from './sending-events.ts';
import type { TemplateEvents } from './template-events.ts';

/** The kinds of audit events, with the details that each stores. Ids are of the account's own rows. */
interface AuditDetails extends AccountEvents, SenderEvents, TemplateEvents, CompanyEvents, SendingEvents {}

export type AuditKind = keyof AuditDetails;

/** One act of a member. memberId null: the operator or a worker did it. */
export type AuditEvent = {
  [Kind in AuditKind]: {
    readonly accountId: number;
    readonly memberId: number | null;
    readonly kind: Kind;
    readonly detail: AuditDetails[Kind];
  };
}[AuditKind];
