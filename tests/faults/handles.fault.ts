// Many kills while payloads are stored; `npm test` has a shorter series.
import { it } from 'vitest';
import { killWhileStoring } from '../handles/kill-storing.ts';

it('200 kills at random moments leave whole handles and no other files', { timeout: 300_000 }, () =>
  killWhileStoring(200),
);
