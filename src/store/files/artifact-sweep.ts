// How long the home folder keeps what tools have left there on purpose: evidence bundles, saved
// sessions and downloads.
import { keepFiles } from './keep-files.ts';
import type { RetentionRule } from './sweeper.ts';

const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;

/** Only what got its name here: a bundle that somebody put there under another name stays. */
const EVIDENCE_FILE = /^[a-z\d.-]+-\d{8}T\d{9}Z-[\da-f]{4}\.tar\.gz$/;
const SNAPSHOT_FILE = /^snap_[\da-f]{16}\.json(?:\.corrupt-\d+)?$/;

export const evidenceRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'evidence bundles',
    folder,
    owns: (file) => EVIDENCE_FILE.test(file),
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: 2 * GIB,
  });

export const snapshotRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'saved sessions',
    folder,
    owns: (file) => SNAPSHOT_FILE.test(file),
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: GIB,
  });

/** Every file of the folder: pages choose the names of downloads. */
export const downloadRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'downloads',
    folder,
    owns: () => true,
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: 4 * GIB,
  });
