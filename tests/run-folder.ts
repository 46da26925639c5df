// A folder that lasts as long as the test run.
import { tmpdir } from 'node:os';

/** The environment variable with the folder; chrome-setup.ts creates and removes the folder. */
export const RUN_FOLDER = 'OPENCHROME_TEST_RUN_FOLDER';

export const readRunFolder = (): string => process.env[RUN_FOLDER] ?? tmpdir();
