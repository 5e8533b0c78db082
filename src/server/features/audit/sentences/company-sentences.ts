import type { CompanyEvents } from '../company-events.ts';
import { count, namesOf, note, type Sentences, wordOf } from './sentence.ts';

const ACTS = {
  activate: '有効にしました',
  deactivate: '無効にしました',
  append_remarks: '備考に書き足しました',
  suppress: '配信停止に登録しました',
  archive: 'アーカイブしました',
  restore: 'アーカイブから戻しました',
  label: 'タグか選択肢を変更しました',
};
/** Whether an act changes a part of a company, not its state. */
const isOfPart = (act: string | undefined) => act === 'append_remarks' || act === 'label';
const JOBS = { import_check: '確認', import_run: '実行', import_undo: '取り消し' };
const FIELD_FIELDS = { label: '名前', position: '順番', options: '選択肢', colour: '色', archived: '使うかどうか' };
const CONDITION_FIELDS = { name: '名前', where_info: '条件', is_shared: '共有' };

const shared = (isShared: boolean | undefined) => isShared === true && '全員で共有';
/** Returns what a thing is, with its name where one was written. */
const named = (what: string, name: string | undefined) => (name === undefined ? what : `${what}「${name}」`);
const companies = (number: number | undefined): string => count(number, '社');

export const COMPANY_SENTENCES: Sentences<CompanyEvents> = {
  company_added: { group: 'companies', text: '会社を追加しました' },
  company_changed: { group: 'companies', text: '会社の内容を変更しました' },
  company_archived: { group: 'companies', text: '会社をアーカイブしました' },
  company_restored: { group: 'companies', text: '会社をアーカイブから戻しました' },
  companies_changed: {
    group: 'companies',
    text: ({ act, companies: number }) =>
      `${companies(number) || '会社'}${isOfPart(act) ? 'の' : 'を、まとめて'}${wordOf(ACTS, act) || '変更しました'}`,
  },
  sample_companies_added: {
    group: 'companies',
    text: ({ companies: number }) => `見本の会社を入れました${note(companies(number))}`,
  },
  sample_companies_removed: {
    group: 'companies',
    text: ({ companies: number }) => `見本の会社を消しました${note(companies(number))}`,
  },
  prospects_imported: {
    group: 'companies',
    text: ({ added, updated, refused }) =>
      `会社を取り込みました${note(
        added !== undefined && `追加 ${companies(added)}`,
        updated !== undefined && `更新 ${companies(updated)}`,
        refused !== undefined && refused > 0 && `取り込めない行 ${count(refused, '行')}`,
      )}`,
  },
  person_added: { group: 'companies', text: '会社に人を追加しました' },
  person_changed: { group: 'companies', text: '会社の人の内容を変更しました' },
  custom_field_added: {
    group: 'companies',
    text: ({ field_label }) => `${named('会社の項目', field_label)}を追加しました`,
  },
  custom_field_changed: {
    group: 'companies',
    text: ({ field_label, fields }) =>
      `${named('会社の項目', field_label)}を変更しました${note(namesOf(FIELD_FIELDS, fields))}`,
  },
  tag_added: { group: 'companies', text: ({ tag_label }) => `${named('タグ', tag_label)}を追加しました` },
  tag_changed: {
    group: 'companies',
    text: ({ tag_label, fields }) => `${named('タグ', tag_label)}を変更しました${note(namesOf(FIELD_FIELDS, fields))}`,
  },
  tags_merged: {
    group: 'companies',
    text: ({ tag_label, into, companies: number }) =>
      `${named('タグ', tag_label)}を${named(into === undefined ? '別のタグ' : '', into)}に統合しました${note(companies(number))}`,
  },
  condition_saved: {
    group: 'companies',
    text: ({ is_shared }) => `リストの条件を保存しました${note(shared(is_shared))}`,
  },
  condition_changed: {
    group: 'companies',
    text: ({ fields }) => `保存した条件を変更しました${note(namesOf(CONDITION_FIELDS, fields))}`,
  },
  condition_removed: {
    group: 'companies',
    text: ({ is_shared }) => `保存した条件を削除しました${note(shared(is_shared))}`,
  },
  import_started: { group: 'companies', text: '取り込むファイルをアップロードしました' },
  import_job_started: {
    group: 'companies',
    text: ({ job_kind }) => `取り込みの${wordOf(JOBS, job_kind) || '処理'}を始めました`,
  },
  import_discarded: { group: 'companies', text: 'アップロードしたファイルを取り込まずに破棄しました' },
  import_file_deleted: { group: 'companies', text: '取り込んだファイルを削除しました' },
  import_undone: {
    group: 'companies',
    text: ({ removed, archived, restored }) =>
      `取り込みを取り消しました${note(
        removed !== undefined && `削除 ${companies(removed)}`,
        archived !== undefined && archived > 0 && `アーカイブ ${companies(archived)}`,
        restored !== undefined && restored > 0 && `元に戻した会社 ${companies(restored)}`,
      )}`,
  },
  // The address is not stored, because it may have been erased.
  personal_data_shown: {
    group: 'data',
    text: ({ companies: number, mails }) =>
      `個人情報を開示のために表示しました${note(companies(number), count(mails, '通'))}`,
  },
  personal_data_erased: {
    group: 'data',
    text: ({ companies: number, mails, cancelled, refusal }) =>
      `個人情報を消去しました${note(
        companies(number),
        count(mails, '通'),
        cancelled !== undefined && cancelled > 0 && `送信の取り消し ${count(cancelled, '通')}`,
        refusal === true && '配信停止に登録',
      )}`,
  },
};
