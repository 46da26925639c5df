// oc_evidence_bundle: saves the state of a tab at one moment as an archive on disk.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';
import { PART_NAMES } from '../../features/evidence/part-names.ts';

export const ocEvidenceBundle = defineTool({
  name: 'oc_evidence_bundle',
  description:
    'Save the tab as evidence: one redacted .tar.gz (screenshot, DOM, console, HAR …) with hashes.',
  keywords: 'archive proof bug report save page har screenshot',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: false,
    duration: 'job',
    dialog: 'allowed',
    loadsPages: true,
    timeoutMs: 180_000,
    files: ['path'],
  },
  input: () => ({
    parts: markUnlisted(
      z.array(z.string().max(40)).min(1).max(20).optional().describe(PART_NAMES.join(' ')),
    ),
    path: z.string().min(1).max(4096).optional(),
  }),
  prepare: (input) => {
    const { parts = [], path } = input;
    const unknown = parts.find((name) => !PART_NAMES.includes(name));
    if (unknown !== undefined)
      throw fail(
        'invalid_argument',
        `Unknown part "${unknown}" (available: ${PART_NAMES.join(', ')}).`,
        {
          argument: 'parts',
          known: PART_NAMES,
        },
      );
    if (path !== undefined && !/\.(?:tar\.gz|tgz)$/i.test(path))
      throw fail('invalid_argument', 'The path of the bundle must end in .tar.gz.', {
        argument: 'path',
      });
    return input;
  },
  examples: [{}, { parts: ['screenshot', 'har'], path: 'evidence.tar.gz' }],
  run: async ({ parts, path }, { tab, session, services, signal, progress }) => {
    const { saveBundle } = await import('../../features/evidence/bundle.ts');
    const { browser, home, redactor, workers, log } = services;
    return saveBundle({
      ...{ browser, session, tab, redactor, workers, log, signal, progress, path },
      capturedAt: tab.clock(),
      folder: home.evidence,
      wanted: PART_NAMES.filter((name) => parts?.includes(name) ?? true),
    });
  },
});
