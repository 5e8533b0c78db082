import { LABEL_MESSAGES, labelKey, parseLabel } from '#domain/company/own-label.ts';
import { MAX_FIELD_OPTIONS, MAX_IMPORT_TAGS, MAX_TAGS } from '#domain/limits.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { ensureLabels } from '../../own-fields/ensure.command.ts';
import { readOwnFields, readTags } from '../../own-fields/own-fields.queries.ts';
import type { ExtraPlan } from '../read/cells/read-extras.ts';
import type { ImportSource } from './import-run.queries.ts';

/** The labels of tags (null) or of a field's options. */
export interface Labels {
  /** Finds or makes labels. The texts that find no room are missing in the answer, with their reason in `faults`. */
  ensure(fieldId: number | null, texts: Iterable<string>): Promise<void>;
  /** @returns the label's id, or why it cannot be made */
  idOf(fieldId: number | null, text: string): number | string;
}

const NO_ROOM = {
  options: `選択肢は1つの項目に${MAX_FIELD_OPTIONS}個までです。`,
  file: `新しいタグは1つのファイルで${MAX_IMPORT_TAGS}個までです。`,
  tags: `タグは${MAX_TAGS}個までです。`,
};

/** The labels of one field, or all tags. Refused ones are not kept: a file may have millions. */
interface Family {
  readonly ids: Map<string, number>;
  /** How many more can be made. */
  room: number;
  readonly noRoom: string;
}

/** Opens the labels that a file may name. Archived ones come back; missing ones are made while there is room. */
export async function openLabels(tx: Tx, { accountId }: ImportSource, plan: ExtraPlan): Promise<Labels> {
  const families = new Map<number | null, Family>();
  const tags = await readTags(tx, accountId);
  const archived = new Set<number>();
  const idsOf = (labels: readonly { id: number; label: string; archived: boolean }[]) => {
    for (const label of labels) if (label.archived) archived.add(label.id);
    return new Map(labels.map(({ id, label }) => [labelKey(label), id]));
  };
  const tagRoom = MAX_TAGS - tags.length;
  families.set(null, {
    ids: idsOf(tags),
    room: Math.min(tagRoom, MAX_IMPORT_TAGS),
    noRoom: tagRoom < MAX_IMPORT_TAGS ? NO_ROOM.tags : NO_ROOM.file,
  });
  const fields = plan.own.some(({ type }) => type === 'choice') ? await readOwnFields(tx, accountId) : [];
  for (const { id, options } of fields) {
    families.set(id, { ids: idsOf(options), room: MAX_FIELD_OPTIONS - options.length, noRoom: NO_ROOM.options });
  }

  return {
    async ensure(fieldId, texts) {
      const family = families.get(fieldId);
      if (family === undefined) return;
      const missing = new Map<string, string>();
      for (const text of texts) {
        const key = labelKey(text);
        const known = family.ids.get(key);
        if (missing.has(key) || (known !== undefined && !archived.has(known))) continue;
        const parsed = parseLabel(text);
        if (!parsed.ok || (known === undefined && family.room === 0)) continue;
        missing.set(key, parsed.label);
        if (known === undefined) family.room -= 1;
      }
      if (missing.size === 0) return;
      const made = await ensureLabels(tx, accountId, fieldId, [...missing.values()]);
      if (made instanceof Problem) throw new Error(made.message);
      for (const [key, text] of missing) {
        const id = made.get(text);
        if (id === undefined) continue;
        family.ids.set(key, id);
        archived.delete(id);
      }
    },
    idOf(fieldId, text) {
      const family = families.get(fieldId);
      const id = family?.ids.get(labelKey(text));
      if (id !== undefined) return id;
      const parsed = parseLabel(text);
      return parsed.ok ? (family?.noRoom ?? '') : `${LABEL_MESSAGES[parsed.fault]}。`;
    },
  };
}
