// downloads: lists the files that pages of the session downloaded, with path and progress.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Download } from '../../browser/state/downloads.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/**
 * The downloads of this session: those of its tabs, and those of tabs that no other session owns.
 */
const ofSession = ({ rooms, session }: Context): readonly Download[] => {
  const others = new Set(
    rooms.browser.sessions
      .filter(({ name }) => name !== session.name)
      .flatMap(({ tabs }) => [...tabs.keys()]),
  );
  return rooms.browser.downloads.filter(({ tabId }) => tabId === undefined || !others.has(tabId));
};

const shown = ({ startedAt, receivedBytes, totalBytes, state, ...facts }: Download): object =>
  defined({
    ...facts,
    state,
    sizeBytes: state === 'completed' ? receivedBytes : (totalBytes ?? null),
    receivedBytes: state === 'in_progress' ? receivedBytes : undefined,
    startedAt: new Date(startedAt).toISOString(),
  });

export const downloads = defineTool({
  name: 'downloads',
  description:
    'List downloads of the session: id, url, file, path on disk, type, size, state; or cancel a ' +
    'running one. Files are saved under the home folder. To wait for one ' +
    'use wait_for {download}.',
  keywords: 'file save',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'list' ? 'read' : 'act'),
    scope: 'browser',
    observation: ({ action }) => action === 'list',
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 5_000,
  },
  input: () => ({
    action: z.enum(['list', 'cancel']).default('list'),
    id: z.string().min(1).max(20).optional().describe('For cancel'),
    limit: z.number().int().min(1).max(500).default(50),
  }),
  prepare: (given) => {
    if (given.action === 'cancel' && given.id === undefined)
      throw fail('invalid_argument', 'downloads {action: "cancel"} needs "id".', {
        argument: 'id',
      });
    return given;
  },
  examples: [{}, { action: 'cancel', id: 'd3' }],
  run: async ({ action, id = '', limit }, context) => {
    if (action === 'cancel') {
      if (!(await context.rooms.browser.cancelDownload(id, context.signal)))
        throw fail('invalid_argument', `Download ${id} is not running.`, {
          argument: 'id',
          downloads: ofSession(context).map((one) => `${one.id} ${one.state}`),
        });
      return { canceled: id };
    }
    const all = ofSession(context);
    return defined({
      downloads: all.slice(-limit).map(shown),
      older: all.length > limit ? all.length - limit : undefined,
    });
  },
});
