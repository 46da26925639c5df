// What the tools' declarations say, run once when the project is built.
import { listedSchemaOf } from '../../src/toolkit/describe.ts';
import { usagesOf } from '../../src/toolkit/usage.ts';
import { TOOLS } from '../../src/tools/index.ts';

export const usages = usagesOf(TOOLS);
export const schemas = Object.fromEntries(TOOLS.map((tool) => [tool.name, listedSchemaOf(tool)]));
