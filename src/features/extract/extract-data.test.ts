// Tests of the validation of extracted records, on the main thread and in a worker thread.
import { afterAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../core/worker-pool.ts';
import { createValidator } from './extract-data.ts';

const workers = new WorkerPool();
afterAll(() => workers.close());

const open = new AbortController().signal;

describe('extracted records', () => {
  it('are checked in a worker thread if the schema has a pattern', async () => {
    const validate = createValidator({
      properties: { sku: { type: 'string', pattern: '^[A-Z]{2}\\d+$' }, price: { type: 'number' } },
      required: ['sku'],
    });
    const records = [{ sku: 'AB12', price: 3 }, { sku: 'ab12' }, { price: 'x' }];
    expect(await validate(records, workers, open)).toMatchInlineSnapshot(`
      [
        {
          "field": "sku",
          "item": 1,
          "message": "Invalid string: must match pattern /^[A-Z]{2}\\d+$/",
        },
        {
          "field": "sku",
          "item": 2,
          "message": "Invalid input: expected string, received undefined",
        },
        {
          "field": "price",
          "item": 2,
          "message": "Invalid input: expected number, received string",
        },
      ]
    `);
  });

  it('are checked on the main thread if the schema has no pattern', async () => {
    const validate = createValidator({ properties: { price: { type: 'number' } } });
    expect(await validate([{ price: 3 }, { price: 'x' }], workers, open)).toEqual([
      { item: 1, field: 'price', message: 'Invalid input: expected number, received string' },
    ]);
  });

  it('are not checked by a slow pattern, and the event loop stays free', async () => {
    const validate = createValidator({
      properties: { name: { type: 'string', pattern: '(a|a)*$' } },
    });
    const endless = validate([{ name: `${'a'.repeat(60)}!` }], workers, open);
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    await expect(endless).rejects.toThrow('The pattern (a|a)*$ could take too long.');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(20);
  });

  it('are no longer checked after the call is cancelled', async () => {
    const validate = createValidator({
      properties: { name: { type: 'string', pattern: '(a|a)*$' } },
    });
    const cancel = new AbortController();
    const endless = validate([{ name: `${'a'.repeat(60)}!` }], workers, cancel.signal);
    cancel.abort(new Error('cancelled by the client'));
    await expect(endless).rejects.toThrow('cancelled by the client');
  });
});
