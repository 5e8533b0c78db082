import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_COMPANY_TAGS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import TagBox from '#web/components/choice/tag-box.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Segmented } from '#web/components/field/segmented.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { useAddTag } from '#web/lib/data/own/add-tag.ts';
import { inUse, tagList } from '#web/lib/data/own/own-fields.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { failuresOf, Result } from '../bulk-result.tsx';
import { type BulkOrder, useBulkChange } from '../change-prospects.ts';
import { BULK_MESSAGES, TAG_BULK_MESSAGES as messages } from '../words.ts';

interface Props {
  readonly order: BulkOrder;
  /** The number of chosen companies. */
  readonly chosen: number;
  /** @param isDone the action was performed, so the selection ends */
  readonly onClose: (isDone: boolean) => void;
}

type Way = 'add' | 'remove';
const WAYS = (['add', 'remove'] as const).map((value) => ({ value, label: messages.ways[value] }));

/** Gives tags to many companies, or takes tags from them. Enter makes a tag that does not exist. */
export default function TagBulkDialog({ order, chosen, onClose }: Props) {
  const { data } = useQuery(tagList);
  const [way, setWay] = useState<Way>('add');
  const [ids, setIds] = useState<readonly number[]>([]);
  const mayMake = useMay('addTag') && way === 'add';
  const make = useAddTag();
  const change = useBulkChange();
  const pick = (id: number) => setIds((before) => (before.includes(id) ? before : [...before, id]));
  const title = BULK_MESSAGES.titles.label;

  function perform(): void {
    change.mutate(
      { ...order, label: { [way]: [...ids] } },
      {
        onSuccess: (answer) => {
          if (failuresOf(answer) > 0) return;
          toast('success', BULK_MESSAGES.done.label(answer.changed));
          onClose(true);
        },
      },
    );
  }

  if (change.data !== undefined && failuresOf(change.data) > 0)
    return <Result act="label" answer={change.data} onClose={() => onClose(true)} />;
  const named = ids.map((id) => ({ id, label: data?.find((tag) => tag.id === id)?.label ?? '' }));
  return (
    <Dialog title={title} onClose={() => !change.isPending && onClose(false)}>
      <div className="stack">
        <Segmented label={messages.way} choices={WAYS} value={way} onChange={setWay} />
        <p className={styles.question}>{messages.questions[way](chosen)}</p>
        {named.length === 0 ? null : (
          <ul className="row" aria-label={messages.chosen}>
            {named.map(({ id, label }) => (
              <li key={id}>
                <Chip removeName={messages.drop(label)} onRemove={() => setIds(ids.filter((other) => other !== id))}>
                  {label}
                </Chip>
              </li>
            ))}
          </ul>
        )}
        {ids.length >= MAX_COMPANY_TAGS ? null : (
          <TagBox
            label={messages.box}
            autoFocus
            tags={inUse(data).filter(({ id }) => !ids.includes(id))}
            onPick={pick}
            onMake={mayMake ? (label) => make.mutate(label, { onSuccess: ({ id }) => pick(id) }) : undefined}
          />
        )}
      </div>
      <DialogFoot
        stay={<CancelButton busy={change.isPending} onClick={() => onClose(false)} />}
        act={
          <Button
            variant="primary"
            busy={change.isPending || make.isPending}
            disabled={ids.length === 0}
            onClick={perform}
          >
            {change.isPending ? BULK_MESSAGES.running : messages.acts[way]}
          </Button>
        }
      />
    </Dialog>
  );
}
