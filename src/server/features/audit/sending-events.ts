import type { ReservationChanges } from '#contract/sending/reservations-page.ts';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import type { LiftReason, SuppressionClass } from '#domain/law/suppression.ts';

/** Audit events of runs, reservations, opt-outs and replies. */
export interface SendingEvents {
  /** With `reservation_id`, a due reservation was accepted for the member who made it. */
  readonly run_accepted: Acknowledged & {
    readonly send_log_id: number;
    readonly mails: number;
    readonly is_test: boolean;
    readonly reservation_id?: number;
  };
  /** The member recorded mails that another tool had sent. */
  readonly run_recorded: { readonly send_log_id: number; readonly companies: number };
  readonly run_paused: { readonly send_log_id: number };
  readonly run_resumed: { readonly send_log_id: number };
  readonly run_cancelled: { readonly send_log_id: number };
  readonly run_retried: { readonly send_log_id: number; readonly mails: number };
  readonly unknown_decided: {
    readonly send_log_id: number;
    readonly delivery_id: number;
    readonly decision: 'sent' | 'queued';
  };

  /** A recipient opted out with the link of a mail. */
  readonly opt_out: {
    readonly delivery_id: number;
    readonly suppression_ids: readonly number[];
    readonly source: 'link' | 'one_click' | 'mailto' | 'complaint' | 'reply';
  };
  /** Suppressions were added by hand or from a file, with the number of addresses and domains. */
  readonly suppressions_added: { readonly class: SuppressionClass; readonly suppressions: number };
  readonly suppressions_imported: { readonly class: SuppressionClass; readonly suppressions: number };
  /** `lifted_suppression` has the lifted address or domain, so that a person can be erased there. */
  readonly suppression_lifted: {
    readonly suppression_id: number;
    readonly class: SuppressionClass;
    readonly reason: LiftReason | null;
    readonly consented_on: string | null;
  };
  /** A member entered the reply by hand. */
  readonly reply_noted: { readonly reply_id: number; readonly prospect_id: number };
  readonly reply_changed: {
    readonly reply_id: number;
    readonly act: 'reply' | 'auto_reply' | 'refused' | 'handled' | 'reopened' | 'not_a_reply';
    readonly suppression_ids: readonly number[];
  };
  readonly opt_out_undone: { readonly delivery_id: number; readonly suppression_ids: readonly number[] };

  readonly reservation_made: ReservedTargets;
  /** A POST adds targets or replaces the candidate dates. A PUT states its `changes`. */
  readonly reservation_changed: ReservedTargets & { readonly changes?: ReservationChanges };
  readonly reservation_deleted: { readonly reservation_id: number };
}

interface Acknowledged {
  /** The warnings that the member acknowledged. */
  readonly acknowledged?: readonly Acknowledgement[] | undefined;
}

interface ReservedTargets extends Acknowledged {
  readonly reservation_id: number;
  /** The number of targets that were added. */
  readonly targets: number;
  readonly is_test: boolean;
}
