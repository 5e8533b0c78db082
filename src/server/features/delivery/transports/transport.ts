import type { MailPath } from '../../../platform/mail/mail-path.ts';
import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { Mailer, MailerParts } from '../../../platform/mail/system-mail.ts';
import type { Problem } from '../../../platform/problem.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';
import type { Claim } from '../leases/claim.ts';

/** What mails are made from, as stored with a sender. */
export interface StoredTemplate {
  readonly text_body: string;
  readonly html_body: string;
  readonly sendgrid_template_id: string | null;
}

export type RunBodies = Pick<RunMail, 'text_body' | 'html_body' | 'sendgrid_template_id'>;

/** How a transport treats templates. Processes that send nothing need this part alone. */
export interface TransportTemplates {
  /** Returns what the bodies of a run are made from, or why this transport cannot send the template. */
  readonly bodiesOf: (template: StoredTemplate) => RunBodies | Problem;
  /**
   * Returns the URL of the template editor, with a placeholder in braces for the id; '' for our own.
   * @param configured the setting TEMPLATE_EDITOR_URL
   */
  readonly editorUrl: (configured: string | null) => string;
}

/** How a transport takes mails: all that a delivery worker needs. */
export interface TransportLanes {
  /** The most mails of one request. */
  readonly mostMails: number;
  /** Returns the most mails of this claim's run for one request. */
  readonly mailsWith: (claim: Claim) => number;
  readonly openLane: () => Lane;
}

/** Hands mails to a mail server or service. Each has a folder here, and a line in commands/run.ts. */
export interface Transport extends TransportTemplates, TransportLanes {
  /** How its mails leave, as far as the DNS must agree with it. */
  readonly mailPath: MailPath;
  /**
   * Calls the listener when the mail server says how large a mail may be, in bytes; 0: it names no limit that mails of
   * ours meet.
   */
  readonly watchMaxMailBytes: (listener: (bytes: number) => void) => void;
  /** Makes the mailer for the program's own mails. */
  readonly systemMailer: (parts: Pick<MailerParts, 'from' | 'log'>) => Mailer;
}

/**
 * Commits that these mails are about to leave.
 * @returns false for each whose claim is lost: none of its bytes may leave
 */
export type Mark = (claims: readonly Claim[]) => Promise<boolean[]>;

/**
 * Takes the request that the caller sends next on the same lane, so that a transport may prepare it. Its bodies leave
 * only after send() is called with it. Later calls return the same request.
 * @returns null: none waits
 */
export type TakeNext = () => readonly Claim[] | null;

/** Hands over one request at a time. */
export interface Lane {
  /**
   * Sends mails of one run: after their marks all of them leave, or none. Never rejects.
   * @returns the outcome of each, in their order
   */
  send(claims: readonly Claim[], mark: Mark, takeNext?: TakeNext): Promise<Outcome[]>;
  /** Cuts off a request under way as well. */
  close(): void;
}
