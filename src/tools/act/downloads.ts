// downloads: lists the files that pages of the session downloaded, with path and progress.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Download } from '../../browser/state/downloads.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/**
 * The downloads of this session. One without a known session belongs to the sessions that use
 * Chrome's profile, but only while no session has its own storage: it could be of such a session.
 */
const listDownloads = ({ rooms: { browser }, session }: Context): readonly Download[] => {
  const isShared = browser.sessions.every(({ storage }) => storage === 'profile');
  return browser.downloads.filter((one) =>
    one.session === undefined ? isShared : one.session === session.name,
  );
};

const buildEntry = ({ startedAt, receivedBytes, totalBytes, state, ...facts }: Download): object =>
  defined({
    ...facts,
    session: undefined,
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
    const all = listDownloads(context);
    if (action === 'cancel') {
      const isOurs = all.some((one) => one.id === id);
      if (!isOurs || !(await context.rooms.browser.cancelDownload(id, context.signal)))
        throw fail('invalid_argument', `Download ${id} is not running.`, {
          argument: 'id',
          downloads: all.map((one) => `${one.id} ${one.state}`),
        });
      return { canceled: id };
    }
    return defined({
      downloads: all.slice(-limit).map(buildEntry),
      older: all.length > limit ? all.length - limit : undefined,
    });
  },
});
