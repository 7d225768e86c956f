import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { installation, serve } from '#test/cli/support.ts';
import { modelServer, writing } from './model-server.ts';

test('a server that is killed while the model writes posts the review after its next start, once', async () => {
  const model = await modelServer();
  const { data, env, run: hearth } = await installation();
  await hearth('user', 'create', 'ada');
  await hearth('org', 'create', 'acme', '--owner', 'ada');
  const scopes = ['repo', 'admin:org'].flatMap((scope) => ['--scope', scope]);
  const { out } = await hearth('token', 'create', '--kind', 'classic', '--user', 'ada', ...scopes, '--quiet');
  const database = openDatabase({ url: env.DATABASE_URL });
  onTestFinished(() => database.close());
  const settings = { ...env, HEARTH_ASSISTANT_URL: model.url, HEARTH_ASSISTANT_MODEL: 'reviewer-1', HEARTH_ASSISTANT_KEY: 'k3y' };
  const start = () => serve(data, ['--rate-limits', 'off', '--log', 'silent'], settings);
  let server = await start();
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${out.trim()}`, 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path}: ${text}`).toBe(true);
    return text === '' ? undefined : JSON.parse(text);
  };
  await ask('POST', '/orgs/acme/assistant/billing/selected_users', { selected_usernames: ['ada'] });
  await ask('POST', '/orgs/acme/repos', { name: 'engine', auto_init: true });
  const { object } = await ask('GET', '/repos/acme/engine/git/ref/heads/main');
  await ask('POST', '/repos/acme/engine/git/refs', { ref: 'refs/heads/topic', sha: object.sha });
  await ask('PUT', '/repos/acme/engine/contents/a.txt', { message: 'Add', content: 'YQo=', branch: 'topic' });
  const { number } = await ask('POST', '/repos/acme/engine/pulls', { title: 'Add', head: 'topic', base: 'main' });
  const pull = `/repos/acme/engine/pulls/${number}`;

  const arrived = Promise.withResolvers<void>();
  model.answer = () => arrived.resolve();
  await ask('POST', `${pull}/requested_reviewers`, { reviewers: ['hearth-assistant[bot]'] });
  await arrived.promise;
  await server.end('SIGKILL');
  expect(model.requests[0]?.headers.authorization).toBe('Bearer k3y');
  model.answer = writing({ summary: 'Fine.', comments: [] });
  // As if the time of the lease had passed.
  await sql`update assistant_reviews set due_at = now()`.execute(database.db);
  server = await start();
  onTestFinished(async () => void (await server.end()));
  const bodies = async () => (await ask('GET', `${pull}/reviews`)).map(({ body }: { body: string }) => body.split('\n')[0]);
  await expect.poll(bodies, { timeout: 60_000 }).toEqual(['Fine.']);
  expect(model.requests).toHaveLength(2);
  expect(await ask('GET', '/organizations/acme/settings/billing/premium_request/usage')).toMatchObject({
    usageItems: [{ model: 'reviewer-1', grossQuantity: 1 }],
  });
}, 240_000);
