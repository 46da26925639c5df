// What the tools' declarations say, run once when the project is built.
import { usagesOf } from '../../src/toolkit/usage.ts';
import { TOOLS } from '../../src/tools/index.ts';

export const usages = usagesOf(TOOLS);
