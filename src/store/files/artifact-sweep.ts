// Retention rules for evidence bundles, saved sessions and downloads in the home folder.
import { keepFiles } from './keep-files.ts';
import type { RetentionRule } from './sweeper.ts';

const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;

/** Matches generated names only, so that bundles that a user renamed are kept. */
const EVIDENCE_FILE = /^[a-z\d.-]+-\d{8}T\d{9}Z-[\da-f]{4}\.tar\.gz$/;
const SNAPSHOT_FILE = /^snap_[\da-f]{16}\.json(?:\.corrupt-\d+)?$/;

/** The downloads of a session with its own storage; other folders are the user's. */
const SESSION_FOLDER = /^session-[\w-]{1,40}-[\dA-Fa-f]{8}$/;

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

/** Applies to every file in the folder, because pages choose the names of downloads. */
export const downloadRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'downloads',
    folder,
    owns: () => true,
    subfolders: (name) => SESSION_FOLDER.test(name),
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: 4 * GIB,
  });
