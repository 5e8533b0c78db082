import { useState } from 'react';
import type { Run } from '#contract/runs.ts';
import { repeatSettings } from '#web/features/attack-list/attack-list-state.ts';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import { EXPORT_MESSAGES } from '#web/features/exports/words.ts';
import type { RunOrigin } from '#web/features/send-logs/view-run-origin.ts';
import { RUN_ORIGIN_MESSAGES } from '#web/features/send-logs/words.ts';
import { selectSender, selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { filterChange, listPath } from '#web/lib/address/params.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';

/** What other features offer in the menu of a run, and the export that was chosen there. */
export function useRunMenu() {
  const [exported, setExported] = useState<ExportSource | null>(null);
  const navigate = useNavigate();

  const renderMenu = (run: Run, origin: RunOrigin | undefined) => (
    <>
      <button type="button" onClick={() => setExported({ what: 'deliveries', send_log_id: run.id })}>
        {EXPORT_MESSAGES.open}
      </button>
      {origin?.list_conditions ? (
        <button type="button" onClick={() => void navigate(prepareSameList(run, origin))}>
          {RUN_ORIGIN_MESSAGES.repeat}
        </button>
      ) : null}
    </>
  );

  return { exported, endExport: () => setExported(null), renderMenu };
}

/** Chooses the sender and the settings of a run for the attack list. Returns the address with the list of the run. */
function prepareSameList({ targets }: Run, { list_conditions, ...origin }: RunOrigin): string {
  selectSenderGroup(origin.sender_group_id);
  selectSender(origin.sender_id);
  repeatSettings({ days_from_lastday: origin.days_from_lastday, targets });
  const { sort, order, ...filter } = list_conditions ?? {};
  return listPath({ tab: 'attack-list', ...filterChange(filter), sort, order });
}
