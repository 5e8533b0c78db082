import { queryOptions } from '@tanstack/react-query';
import { sendLog } from '#web/lib/data/send-log.ts';

/** Reads the cached data that RunFollower has loaded for a run, without own requests. */
export const knownRun = (id: number) => queryOptions({ ...sendLog(id), refetchInterval: false, refetchOnMount: false });
