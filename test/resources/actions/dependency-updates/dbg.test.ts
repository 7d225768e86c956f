import { sql } from 'kysely';
import { test } from 'vitest';
import { lockOf } from '#test/resources/security/dependency-alerts/setting.ts';
import { botSetting, botWorld, lockPath } from './setting.ts';
const w = await botWorld();
test('x', async () => {
  const { put, client, base } = await botSetting(w);
  await put(lockPath, lockOf({ left: '1.1.0' }));
  console.log((await client.get(`${base}/dependabot/alerts`)).body.length, (await client.get(`${base}/automated-security-fixes`)).body);
  console.log((await sql`select task_identifier, last_error, attempts from jobs.jobs where last_error is not null`.execute(w.db)).rows);
});
