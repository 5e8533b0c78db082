import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PageFrame } from '#web/components/page-frame.tsx';
import { ImportScreen } from '#web/features/imports/import-screen.tsx';
import { IMPORT_MESSAGES } from '#web/features/imports/words.ts';
import { useCurrentGroup } from '#web/features/senders/use-current-sender.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useIsMine } from '#web/lib/session/use-may.ts';

/** Loaded late: as an import of this file it would lengthen the first load of all screens. */
const showColumns = (own: readonly string[]) =>
  void loadPart(() => import('#web/features/prospects/column-layout.ts')).then(({ showOwn }) => showOwn(own));

export function Component() {
  const { groups: all = [], group: current } = useCurrentGroup();
  const isMine = useIsMine();
  const client = useQueryClient();
  // The import may have brought the first person with an address, whom lists and filters then offer.
  useEffect(
    () => () =>
      void loadPart(() => import('#web/features/account/account-query.ts')).then(({ readMember }) =>
        readMember(client),
      ),
    [client],
  );
  const groups = all.filter(({ id }) => isMine(id));
  return (
    <PageFrame
      title={IMPORT_MESSAGES.title}
      back={{ to: PATHS.imports, label: IMPORT_MESSAGES.history }}
      guide="import"
    >
      <ImportScreen
        groups={{ all: groups, current: groups.find(({ id }) => id === current?.id) ?? groups[0] }}
        onColumns={showColumns}
      />
    </PageFrame>
  );
}
