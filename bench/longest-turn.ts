/** Returns the milliseconds of CPU that this thread has used, which other programs do not lengthen. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Measures the CPU of the longest event loop turn while work runs. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, usedMs(), false];
  const look = () => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  look();
  return longest;
}
