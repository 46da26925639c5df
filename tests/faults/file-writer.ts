// A process of its own that saves a JSON file again and again: `node file-writer.mjs PATH COUNT
// SIZE`. Prints the outcome of each save.
import { z } from 'zod';
import { Failure } from '../../src/core/failure.ts';
import { JsonFile } from '../../src/store/files/json-file.ts';

const [, , path = '', count = '0', size = '0'] = process.argv;
const file = new JsonFile({
  path,
  version: 1,
  schema: z.object({ n: z.number(), pad: z.string() }),
});
for (let n = 1; n <= Number(count); n++) {
  try {
    await file.save({ n, pad: 'x'.repeat(n === 1 ? 10 : Number(size)) });
    process.stdout.write(`saved ${n}\n`);
  } catch (error) {
    process.stdout.write(`${error instanceof Failure ? error.code : String(error)} ${n}\n`);
  }
}
