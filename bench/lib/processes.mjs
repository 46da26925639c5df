// The processes of one server: whose environment names its folder as HOME, and their descendants;
// what they use, and their end.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Processes come and go while they are looked at. */
const orNothing = (read) => {
  try {
    return read();
  } catch {
    return '';
  }
};
const textOf = (pid, file) => orNothing(() => readFileSync(`/proc/${pid}/${file}`, 'latin1'));

const allProcesses = () =>
  orNothing(() => readdirSync('/proc'))
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), stat: textOf(pid, 'stat') }))
    .map(({ pid, stat }) => ({ pid, fields: stat.slice(stat.lastIndexOf(')') + 2).split(' ') }))
    .filter(({ fields }) => fields.length > 2 && fields[0] !== 'Z')
    .map(({ pid, fields }) => ({ pid, parent: Number(fields[1]) }));

/** Chrome's children overwrite their environment, so they are known by their parents. */
const processesOf = (dir) => {
  const all = allProcesses();
  const mine = new Set(
    all
      .map(({ pid }) => pid)
      .filter((pid) => textOf(pid, 'environ').split('\0').includes(`HOME=${dir}`)),
  );
  for (let before = -1; before < mine.size;) {
    before = mine.size;
    for (const { pid, parent } of all) if (mine.has(parent)) mine.add(pid);
  }
  mine.delete(process.pid);
  return [...mine];
};

/**
 * Own memory and a share of what is shared, in bytes; files are left out, since any other Chrome on
 * the machine changes their share.
 */
const memoryOf = (pid) => {
  const rollup = textOf(pid, 'smaps_rollup');
  const of = (kind) => Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) * 1024;
  return of('Pss_Anon') + of('Pss_Shmem');
};

/** Memory of the server's own processes, and of all with Chrome. */
export const memoryUsed = (dir) => {
  const used = { server: 0, all: 0 };
  for (const pid of processesOf(dir)) {
    const bytes = memoryOf(pid);
    used.all += bytes;
    if (!/chrom/.test(orNothing(() => readlinkSync(`/proc/${pid}/exe`)))) used.server += bytes;
  }
  return used;
};

/** Ends what a server left behind: only processes of its own folder, by pid. */
export const endProcesses = async (dir) => {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    for (const pid of processesOf(dir)) orNothing(() => process.kill(pid, signal));
    for (let i = 0; i < 20 && processesOf(dir).length; i++) await pause(50);
  }
};
