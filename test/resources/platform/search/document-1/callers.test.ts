import { beforeAll, describe, expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { kinds, namesOf, search, searchable, setting } from './setting.ts';

const w = await searchable();

let made: Awaited<ReturnType<typeof setting>>;
beforeAll(async () => {
  made = await setting();
});

describe.each(kinds)('rule 6: %s', (kind) => {
  const ask = (q: string) => search(kind, q, { who: made.bob });

  test.each(['repo:acme/secrets', 'user:nobody', 'org:nobody', 'repo:acme/secrets user:nobody repo:nobody/x'])(
    '%s, which the caller cannot access, fails with 422 and Validation Failed',
    async (names) => {
      const { status, body } = await ask(`widget ${names}`);
      expect([status, body.message]).toEqual([422, 'Validation Failed']);
      expect(body.errors).toMatchObject([{ resource: 'Search', field: 'q', code: 'invalid' }]);
      expect(body.errors[0].message).toContain('do not exist, or you do not have permission to view them');
    },
  );

  test('what is hidden is refused like what does not exist', async () => {
    expect((await ask('widget repo:acme/secrets')).text).toBe((await ask('widget repo:acme/absent')).text);
  });

  test('where only some are accessible, results from these alone are returned, and no error lists the rest', async () => {
    const { body: open } = await ask('widget repo:acme/engine');
    for (const names of ['repo:acme/secrets', 'repo:acme/absent', 'user:nobody', 'org:nobody']) {
      const { status, body } = await ask(`widget repo:acme/engine ${names}`);
      expect([status, body]).toEqual([200, open]);
    }
  });

  test('who can access it finds it', async () => {
    const { status, body } = await search(kind, 'widget repo:acme/secrets', { who: made.ada });
    expect([status, body.total_count]).toEqual([200, 1]);
  });
});

test.each(['semantic', 'hybrid'])('rule 8: %s issue search requires authentication', async (type) => {
  const more = `&search_type=${type}`;
  expect((await search('issues', 'widget', { more })).status).toBe(401);
  expect((await search('issues', 'widget', { more, who: made.bob })).status).toBe(200);
});

describe('rule 9: an app with a user access token', () => {
  const ask = async (q: string, more = '') => {
    const app = await installApp(w, { on: made.acme, permissions: { issues: 'read' } });
    return search('issues', q, { who: await app.userToken(made.ada), more });
  };

  test.each(['widget', 'widget -is:issue', 'widget is:open', 'is:closed NOT is:pull-request'])('%s returns 422', async (q) => {
    const { status, body } = await ask(q);
    expect([status, body.message]).toEqual([422, 'Validation Failed']);
    expect(body.errors[0].message).toContain('is:issue');
  });

  test('issues and pull requests are asked for apart', async () => {
    expect((await ask('widget is:issue')).body.total_count).toBe(3);
    expect((await ask('widget is:pull-request')).body.total_count).toBe(0);
    expect((await ask('widget is:pr')).status).toBe(200);
    expect((await ask('widget', '&search_type=hybrid')).status).toBe(422);
  });

  test('no other caller has to', async () => {
    const app = await installApp(w, { on: made.acme, permissions: { issues: 'read' } });
    for (const who of [app.token, await w.fineGrained(made.ada, made.acme, {}), await w.token(made.ada), undefined])
      expect((await search('issues', 'widget', { who })).status).toBe(200);
    expect((await search('commits', 'widget', { who: await app.userToken(made.ada) })).status).toBe(200);
  });
});

describe('authentication', () => {
  test('code search requires it', async () => {
    expect((await search('code', 'widget')).status).toBe(401);
    expect((await search('code', 'widget', { who: made.bob })).status).toBe(200);
  });

  test.each(['commits', 'issues', 'repositories'] as const)('%s: public resources are searched without it', async (kind) => {
    const nobody = await search(kind, 'widget');
    expect([nobody.status, nobody.body.total_count > 0]).toEqual([200, true]);
    expect(namesOf(nobody)).toEqual(namesOf(await search(kind, 'widget', { who: made.bob })));
    expect((await search(kind, 'widget repo:acme/secrets')).status).toBe(422);
  });

  test.each(kinds)('%s: a fine-grained token needs no permission, and each reply says so', async (kind) => {
    const { status, body, headers } = await search(kind, 'widget', { who: await w.fineGrained(made.ada, made.acme, {}, []) });
    expect([status, body.total_count > 0]).toEqual([200, true]);
    expect(headers).toHaveProperty('x-accepted-service-permissions', '');
  });
});
