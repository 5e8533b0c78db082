import { readdirSync, readFileSync } from 'node:fs';

/** CPU of the processes of a PostgreSQL on this machine, from /proc. */

const TICKS_A_SECOND = 100;

const stat = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];

/** Returns the process that started a backend. */
export const postmasterOf = (backend: number): number => Number(stat(backend)[1]);

/** Returns the seconds of CPU that each child of the postmaster has used. Processes that have ended are missing. */
export function cpuByProcess(postmaster: number): Map<number, number> {
  const used = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = stat(Number(name));
      if (Number(fields[1]) === postmaster)
        used.set(Number(name), (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return used;
}
