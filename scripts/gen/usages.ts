// What the declarations of tools and settings say, run once when the project is built.
import { summariseTool } from '../../src/toolkit/tool-description.ts';
import { buildUsages } from '../../src/toolkit/usage.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { describeSettings } from './settings.ts';

export const usages = buildUsages(TOOLS);
export const summaries = TOOLS.map(summariseTool);
export const settings = describeSettings();
