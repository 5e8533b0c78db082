import { readdirSync, readFileSync } from 'node:fs';

/** Reads the CPU time of processes on this machine from /proc: of any process, and of those of a PostgreSQL. */

const TICKS_A_SECOND = 100;

const stat = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];

const secondsIn = (fields: readonly string[]) => (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;

/** Returns the seconds of CPU that a process has used. */
export const cpuOf = (pid: number): number => secondsIn(stat(pid));

/** Returns the process that started a backend. */
export const postmasterOf = (backend: number): number => Number(stat(backend)[1]);

/** Returns the CPU seconds of each running child of the postmaster. */
export function cpuByProcess(postmaster: number): Map<number, number> {
  const used = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = stat(Number(name));
      if (Number(fields[1]) === postmaster) used.set(Number(name), secondsIn(fields));
    } catch {
      // The process has ended meanwhile.
    }
  }
  return used;
}
