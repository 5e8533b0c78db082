import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useRef, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { Tag } from '#web/components/inline/tag.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { useAddTag } from '#web/lib/data/own/add-tag.ts';
import { inUse, tagList } from '#web/lib/data/own/own-fields.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { reloadCompany } from '../company-query.ts';
import { putCompany } from '../save-company.ts';
import styles from './own.module.css';
import { OWN_MESSAGES as messages } from './words.ts';

const TagBox = lazy(() => loadPart(() => import('#web/components/choice/tag-box.tsx')));

/** Shows the tags of a company below its name. Who may edit it adds and removes them here. */
export function CompanyTags({ company }: { readonly company: CompanyDetail }) {
  const mayEdit = useMay('updateProspect');
  const { mutate: save, isPending } = useSaveTags(company);
  const add = useAddTag();
  const busy = isPending || add.isPending;
  if (!mayEdit && company.tags.length === 0) return null;
  return (
    <div className={`row ${styles.tags}`}>
      <ul className="row" aria-label={messages.tags}>
        {company.tags.map(({ id, label, colour }) => (
          <li key={id} className={styles.tag}>
            <Tag label={label} colour={colour} />
            {mayEdit ? (
              <button
                type="button"
                className={styles.remove}
                aria-label={messages.removeTag(label)}
                aria-disabled={busy}
                onClick={() => busy || save((ids) => ids.filter((other) => other !== id))}
              >
                <IconX size={14} aria-hidden />
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {mayEdit ? (
        <AddTag
          chosen={company.tags.map(({ id }) => id)}
          busy={busy}
          onMake={add.mutate}
          onAdd={(added) => save((ids) => [...new Set([...ids, added])])}
        />
      ) : null}
    </div>
  );
}

/** Changes the tags that a company has at that moment: the making of a tag takes a while. */
type Change = (ids: readonly number[]) => readonly number[];

/** Saves the tags of a company: all of them, so that one act of this member never takes those of another. */
function useSaveTags({ id, version, tags }: CompanyDetail) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => putCompany(id, version, { tag_ids: [...change(tags.map((tag) => tag.id))] }, 1),
    // After a refusal too: another member may have changed the company.
    onSettled: () => reloadCompany(client, id),
  });
}

interface AddProps {
  readonly chosen: readonly number[];
  readonly busy: boolean;
  readonly onAdd: (id: number) => void;
  readonly onMake: ReturnType<typeof useAddTag>['mutate'];
}

function AddTag({ chosen, busy, onAdd, onMake }: AddProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { data: tags } = useQuery({ ...tagList, enabled: isOpen });
  const mayMake = useMay('addTag');

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function pick(id: number): void {
    close();
    onAdd(id);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the focus of what is in it
    <div
      className={styles.adding}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <Button ref={button} variant="quiet" aria-expanded={isOpen} busy={busy} onClick={() => setOpen(!isOpen)}>
        <IconPlus size={16} aria-hidden />
        {messages.addTag}
      </Button>
      {isOpen ? (
        <div className={`floats ${styles.choices}`}>
          <PartBoundary>
            <TagBox
              label={messages.addTag}
              autoFocus
              tags={inUse(tags).filter(({ id }) => !chosen.includes(id))}
              onPick={pick}
              onMake={mayMake ? (label) => onMake(label, { onSuccess: ({ id }) => pick(id) }) : undefined}
              onClose={close}
            />
          </PartBoundary>
        </div>
      ) : null}
    </div>
  );
}
