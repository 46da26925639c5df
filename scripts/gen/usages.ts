// What the tools' declarations say, run once when the project is built.
import { buildListedSchema } from '../../src/toolkit/tool-description.ts';
import { buildUsages } from '../../src/toolkit/usage.ts';
import { TOOLS } from '../../src/tools/index.ts';

export const usages = buildUsages(TOOLS);
export const schemas = Object.fromEntries(
  TOOLS.map((tool) => [tool.name, buildListedSchema(tool)]),
);
