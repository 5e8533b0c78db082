import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import type { DkimKey } from '#server/platform/mail/dkim.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually, untilSettled } from '#test/sending.ts';
import { TEST_MAILING } from '../mailing.ts';
import type { Postfix } from './postfix.ts';

export interface Company {
  readonly company_name: string;
  readonly ceo: string;
  readonly company_email: string;
}

export interface Scene {
  readonly database: TestDatabase;
  readonly tenant: Tenant;
  /** Sends one sender's mail to the companies. @returns the files that Postfix put into the mailbox */
  sendTo(senderId: number, companies: readonly Company[]): Promise<string[]>;
}

/** Starts a worker that sends an account's mails through Postfix. It stops with the test. */
export async function relayScene(postfix: Postfix, dkim: DkimKey | null = null): Promise<Scene> {
  const database = await testDatabase();
  const tenant = await addTenant(database.db);
  const smtp = { host: '127.0.0.1', port: postfix.port, secure: false, requireTls: false, credentials: null, dkim };
  const log = pino({ level: 'silent' });
  const transport = smtpTransport(smtp);
  const worker = startDeliveryWorker({ db: database.service.db, now: Date.now, transport, connections: 5, log });
  onTestFinished(() => worker.stop());
  return {
    database,
    tenant,
    async sendTo(senderId, companies) {
      const before = new Set(postfix.delivered());
      const ids = await addProspects(database.db, tenant.accountId, companies);
      const body = {
        test_send_mode: 0 as const,
        attack_list: ids.map((prospect_id) => ({ prospect_id })),
        datetime_list: [nextCandidate([], Date.now())],
        days_from_lastday: 7,
      };
      const request = { senderId, body, idempotencyKey: null, ...TEST_MAILING } as const;
      expect(await acceptSend(database.account(tenant.accountId), request, Date.now())).toMatchObject({
        accepted: companies.length,
      });
      expect(await untilSettled(database.db, 60_000), postfix.log()).toStrictEqual({ sent: companies.length });
      const fresh = () => postfix.delivered().filter((file) => !before.has(file));
      return eventually(fresh, (files) => files.length >= companies.length, 30_000);
    },
  };
}
