import { SUPPRESSION_CLASS_NAMES } from '#contract/answers/suppressions-names.ts';
import type { ReservationChanges } from '#contract/sending/reservations-page.ts';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import type { SendingEvents } from '../sending-events.ts';
import { count, labelled, note, type Sentences, wordOf } from './sentence.ts';

const BY_RECIPIENT = 'メールの受信者';
const SOURCES = {
  link: '配信停止のページ',
  one_click: 'ワンクリック停止',
  mailto: '配信停止のメール',
  complaint: '迷惑メールの報告',
  reply: '返信',
};
const LIFT_REASONS = { asked_again: '本人から再開の依頼', mistake: '登録の誤り' };
const REPLY_ACTS = {
  reply: '返信を「返信」に直しました',
  auto_reply: '返信を「自動返信」に直しました',
  refused: '返信を、配信停止の希望として登録しました',
  handled: '返信を対応済みにしました',
  reopened: '返信を未対応に戻しました',
  not_a_reply: '返信ではないメールを削除しました',
};

const isTestNote = (isTest: boolean | undefined) => isTest === true && 'テスト';
/** Who sends in spite of a warning answers for it. */
const warnings = (acknowledged: readonly Acknowledgement[] = []) =>
  acknowledged.length > 0 && `確認した警告 ${count(acknowledged.length, '件')}`;

const suppressed = (verb: string): Sentences<SendingEvents>['suppressions_added'] => ({
  group: 'answers',
  text: ({ class: type, suppressions }) =>
    `配信停止を${count(suppressions, '件')}${verb}${note(wordOf(SUPPRESSION_CLASS_NAMES, type))}`,
});

const fromTo = (label: string, change: { readonly from: string; readonly to: string } | undefined): string =>
  change === undefined ? '' : `${label} ${change.from} → ${change.to}`;
const minuteOf = (second: string): string => second.slice(0, 16);

/** Returns the act that a change of a reservation is, and what it altered. */
function reservationChange(changes: ReservationChanges = {}, targets: number | undefined): string {
  const { send_at, datetime_list, subject, added = 0, removed = 0, ...more } = changes;
  const act = more.sent_now
    ? '予約を今すぐ送信しました'
    : more.taken_back
      ? '今すぐ送信した予約を、元の日時に戻しました'
      : more.taken_over
        ? '予約の作成者を引き継ぎました'
        : more.let_go
          ? '復元して止まっていた予約を、予定どおり送信することにしました'
          : more.merged_into
            ? '予約をほかの予約にまとめました'
            : more.merged_from
              ? 'ほかの予約をこの予約にまとめました'
              : '予約を変更しました';
  const more_targets = added + (targets ?? 0);
  return (
    act +
    note(
      fromTo('日時', send_at && { from: minuteOf(send_at.from), to: minuteOf(send_at.to) }),
      fromTo('件名', subject),
      datetime_list && '候補日',
      more_targets > 0 && `追加 ${count(more_targets, '社')}`,
      removed > 0 && `除外 ${count(removed, '社')}`,
    )
  );
}

export const SENDING_SENTENCES: Sentences<SendingEvents> = {
  run_accepted: {
    group: 'sending',
    text: ({ mails, is_test, reservation_id, acknowledged }) =>
      `${count(mails, '社') || '会社'}への送信を始めました${note(
        isTestNote(is_test),
        reservation_id !== undefined && '予約',
        warnings(acknowledged),
      )}`,
  },
  run_recorded: {
    group: 'sending',
    text: ({ companies }) => `ほかのツールで送ったことを記録しました${note(count(companies, '社'))}`,
  },
  run_paused: { group: 'sending', text: '送信を一時停止しました' },
  run_resumed: { group: 'sending', text: '送信を再開しました' },
  run_cancelled: { group: 'sending', text: '送信を取り消し・中止しました' },
  run_retried: { group: 'sending', text: ({ mails }) => `失敗したメール${count(mails, '通')}を再送信しました` },
  unknown_decided: {
    group: 'sending',
    text: ({ decision }) =>
      decision === 'queued'
        ? '不明なメールを、もう一度送ることにしました'
        : '不明なメールを、送信済みとして扱うことにしました',
  },
  opt_out: {
    group: 'answers',
    by: BY_RECIPIENT,
    text: ({ source }) => `配信停止を希望しました${note(wordOf(SOURCES, source))}`,
  },
  suppressions_added: suppressed('登録しました'),
  suppressions_imported: suppressed('CSVから登録しました'),
  suppression_lifted: {
    group: 'answers',
    text: ({ class: type, reason, consented_on }) =>
      `配信停止を解除しました${note(
        wordOf(SUPPRESSION_CLASS_NAMES, type),
        wordOf(LIFT_REASONS, reason ?? undefined),
        labelled('同意の日', consented_on?.replaceAll('-', '/')),
      )}`,
  },
  reply_noted: { group: 'answers', text: '返信があったことを記録しました' },
  reply_changed: {
    group: 'answers',
    text: ({ act }) => (act === undefined ? '返信を変更しました' : wordOf(REPLY_ACTS, act)),
  },
  opt_out_undone: { group: 'answers', by: BY_RECIPIENT, text: '配信停止の希望を取り消しました' },
  reservation_made: {
    group: 'reservations',
    text: ({ targets, is_test, acknowledged }) =>
      `${count(targets, '社') || '会社'}への送信を予約しました${note(isTestNote(is_test), warnings(acknowledged))}`,
  },
  reservation_changed: { group: 'reservations', text: ({ changes, targets }) => reservationChange(changes, targets) },
  reservation_deleted: { group: 'reservations', text: '予約を削除しました' },
};
