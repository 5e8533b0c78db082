import { type RenderedMail, renderMail } from '#server/features/mail-content/run-mail.ts';
import { BENCH_RUN } from '../sending-letter.ts';
import type { PeerMail } from './peer.ts';

export const keyOf = ({ id }: PeerMail): string => id.toString(16).padStart(32, '0');

/** Renders the benches' letter, as the worker and the bare pool do. */
export const rendered = (mail: PeerMail): RenderedMail =>
  renderMail(BENCH_RUN, { company_name: mail.company, person_in_charge: '', mail_key: keyOf(mail) });
