// Commands that go on by themselves end with their reader: `--follow | head -1` must not wait for news that nobody reads.
import { every } from '../../../core/time.ts';
import { hasReader } from '../../../store/pipe-reader.ts';
import { BROKEN_PIPE } from '../terminal.ts';

const LOOK_MS = 500;
const STDOUT = 1;

export const endWithReader = (): Disposable =>
  every(LOOK_MS, () => {
    if (!hasReader(STDOUT)) process.exit(BROKEN_PIPE);
  });
