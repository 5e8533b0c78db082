import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import TagBox from '#web/components/choice/tag-box.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { Tag } from '#web/components/inline/tag.tsx';
import { TAG_FIELDS, type TagField } from '#web/lib/address/params.ts';
import { inUse, tagList } from '#web/lib/data/own/own-fields.ts';
import { isFullOfOwn, labelIn } from '../own/own-filter-parts.ts';
import { OWN_LIST_MESSAGES } from '../own/words.ts';
import type { FilterDraft } from './filter-draft.ts';
import styles from './tag-filter.module.css';

const messages = OWN_LIST_MESSAGES.tags;

interface Props {
  readonly draft: FilterDraft;
  readonly onChange: (field: TagField, ids: string) => void;
}

const idsOf = (text: string | undefined): readonly string[] => (text ? text.split(',') : []);

/** Chooses tags, and how companies must have them. An account without tags sees nothing of it. */
export default function TagFilter({ draft, onChange }: Props) {
  const { data } = useQuery({ ...tagList, meta: { quiet: true } });
  const [isChoosing, setChoosing] = useState(false);
  const [chosenHow, setHow] = useState<TagField>('tags');
  // A saved condition may have several ways: the chips name all, and one of them is shown and changed here.
  const how =
    TAG_FIELDS.find((field) => field === chosenHow && draft[field]) ??
    TAG_FIELDS.find((field) => draft[field]) ??
    chosenHow;
  const tags = inUse(data);
  const ids = idsOf(draft[how]);
  const isFull = ids.length === 0 && isFullOfOwn(draft);
  if (tags.length === 0 && ids.length === 0) return null;

  function move(next: string): void {
    const field = TAG_FIELDS.find((one) => one === next) ?? 'tags';
    setHow(field);
    if (field === how) return;
    onChange(how, '');
    onChange(field, [...new Set([...idsOf(draft[field]), ...ids])].join());
  }

  return (
    <fieldset className={styles.tags}>
      <legend>{messages.title}</legend>
      <div className="row">
        <SelectField
          label={messages.how}
          hidesLabel
          choices={TAG_FIELDS.map((value) => ({ value, label: messages.hows[value] }))}
          value={how}
          onChange={move}
        />
        {ids.map((id) => {
          const tag = data?.find((one) => String(one.id) === id);
          const label =
            data === undefined ? OWN_LIST_MESSAGES.unknown : labelIn(tag, messages.gone, OWN_LIST_MESSAGES.archivedTag);
          return (
            <span key={id} className="line">
              <Tag label={label} colour={tag?.colour ?? 0} />
              <Button
                variant="quiet"
                aria-label={messages.remove(label)}
                onClick={() => onChange(how, ids.filter((other) => other !== id).join())}
              >
                <IconX size={14} aria-hidden />
              </Button>
            </span>
          );
        })}
        {isFull ? (
          <span className="note">{OWN_LIST_MESSAGES.fields.most}</span>
        ) : (
          <Button variant="quiet" aria-expanded={isChoosing} onClick={() => setChoosing(!isChoosing)}>
            {messages.add}
          </Button>
        )}
      </div>
      {isChoosing && !isFull ? (
        <div className={`floats ${styles.box}`}>
          <TagBox
            label={messages.add}
            autoFocus
            tags={tags.filter(({ id }) => !ids.includes(String(id)))}
            onPick={(id) => onChange(how, [...ids, id].join())}
            onClose={() => setChoosing(false)}
          />
        </div>
      ) : null}
    </fieldset>
  );
}
