// For tests in which a page crashes: its process ends, as it does when memory runs out.
import { readdir, readFile } from 'node:fs/promises';

/** Ends the page processes of the Chrome with that process id. */
export const killRenderers = async (chromePid: number): Promise<void> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  const renderers: number[] = [];
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    parents.set(pid, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    if (
      (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('--type=renderer')
    )
      renderers.push(pid);
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === chromePid || isOurs(parents.get(pid)));
  for (const pid of renderers.filter(isOurs)) process.kill(pid, 'SIGKILL');
};
