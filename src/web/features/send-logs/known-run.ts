import { queryOptions } from '@tanstack/react-query';
import { sendLog } from '#web/lib/data/send-log.ts';

/** What RunFollower knows of a run, without questions of its own. */
export const knownRun = (id: number) => queryOptions({ ...sendLog(id), refetchInterval: false, refetchOnMount: false });
