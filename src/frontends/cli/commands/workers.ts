// `openchrome workers`: the live processes of a cluster, their load and their current work.
import type { ClusterMember } from '../../../store/cluster/cluster-store.ts';
import { takeSwitches } from '../command-words.ts';
import { formatDuration, formatSize } from '../amounts.ts';
import type { RunCommand } from '../command.ts';
import { renderTable } from '../text-layout.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const members = await wiring.listWorkers(rest);
  if (on.has('json')) terminal.out(JSON.stringify(members));
  else terminal.out(renderMembers(members, terminal.columns));
  return 0;
};

const COLUMNS = [
  { title: 'id' },
  { title: 'role' },
  { title: 'machine', shrinks: 2 },
  { title: 'pid' },
  { title: 'up' },
  { title: 'load' },
  { title: 'pages' },
  { title: 'errors' },
  { title: 'memory' },
  { title: 'leads', shrinks: 1 },
];

const renderMembers = (members: readonly ClusterMember[], columns: number): string => {
  if (members.length === 0) return 'no processes: start one with "openchrome worker"';
  return renderTable(COLUMNS, members.map(describeMember), columns);
};

const describeMember = (member: ClusterMember): string[] => [
  member.id,
  member.role,
  member.host,
  String(member.pid),
  formatDuration(member.upMs),
  member.role === 'worker' ? `${member.visits}/${member.slots}` : '-',
  String(member.pages),
  String(member.errors),
  formatSize(member.rssBytes),
  member.tasks.length === 0 ? '-' : member.tasks.join(', '),
];
