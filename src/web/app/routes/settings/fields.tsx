import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { FieldList } from '#web/features/own-fields/field-list.tsx';
import { fieldList, tagsList } from '#web/features/own-fields/own-fields-query.ts';
import { TagList } from '#web/features/own-fields/tag-list.tsx';
import { OWN_FIELD_MESSAGES } from '#web/features/own-fields/words.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { SettingsLayout } from '../../settings/settings-layout.tsx';

export function Component() {
  /** The field in the dialog; 'new': a field is added. */
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const mayAdd = useMay('addCustomField');
  const { isPending } = useQuery(fieldList);
  usePrefetchQuery(tagsList);
  return (
    <PageFrame title={OWN_FIELD_MESSAGES.title} help={OWN_FIELD_MESSAGES.help} guide="own-fields">
      <SettingsLayout>
        <div className="stack-wide">
          <section className="stack">
            <div className="spread">
              <h2>{OWN_FIELD_MESSAGES.heading}</h2>
              {mayAdd ? (
                <Button variant="primary" aria-haspopup="dialog" onClick={() => setOpen('new')}>
                  {OWN_FIELD_MESSAGES.add}
                </Button>
              ) : null}
            </div>
            <FieldList open={open} onOpen={setOpen} />
          </section>
          {/* The tags stand below a list whose height is not known before. */}
          {isPending ? null : (
            <section className="stack">
              <TagList />
            </section>
          )}
        </div>
      </SettingsLayout>
    </PageFrame>
  );
}
