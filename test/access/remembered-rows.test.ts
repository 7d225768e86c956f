import { expect, test } from 'vitest';
import { countStatements } from '#database/client.ts';
import { hashToken } from '#lib/token.ts';
import { world } from '#test/support/world.ts';

/** A generator of numbers below `n`, with the same sequence in every run. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * n);
  };
}

/** 10,000 steps were run manually. */
const steps = Number(process.env.HEARTH_TEST_STEPS ?? 300);

test('after the reply to a change, no process answers by what was before', async () => {
  const w = await world();
  const servers = [w.hearth, await w.another()];
  const owner = await w.user('owner');
  const reader = await w.user('reader');
  const repo = await w.repo(owner, { name: 'engine', visibility: 'private' });
  const ownerToken = await w.token(owner);
  const next = numbers(42);
  const state = {
    description: 'none',
    name: 'Nobody',
    visibility: 'private',
    isCollaborator: false,
    token: await w.token(reader),
  };

  const ask = async (token: string, method: 'GET' | 'PATCH' | 'PUT' | 'DELETE', path: string, payload?: object) => {
    const server = servers[next(servers.length)] as (typeof servers)[number];
    const headers = { authorization: `Bearer ${token}` };
    return server.app.inject({ method, url: `/api/v3${path}`, headers, ...(payload ? { payload } : {}) });
  };
  const path = '/repos/owner/engine';
  const changes = [
    async (at: number) => {
      expect((await ask(ownerToken, 'PATCH', path, { description: `text ${at}` })).statusCode).toBe(200);
      state.description = `text ${at}`;
    },
    async () => {
      const visibility = state.visibility === 'private' ? 'public' : 'private';
      expect((await ask(ownerToken, 'PATCH', path, { visibility })).statusCode).toBe(200);
      state.visibility = visibility;
    },
    async (at: number) => {
      expect((await ask(ownerToken, 'PATCH', '/user', { name: `Name ${at}` })).statusCode).toBe(200);
      state.name = `Name ${at}`;
    },
    async () => {
      if (state.isCollaborator) expect((await ask(ownerToken, 'DELETE', `${path}/collaborators/reader`)).statusCode).toBe(204);
      else await w.collaborator(repo, reader, 'read');
      state.isCollaborator = !state.isCollaborator;
    },
    async () => {
      const revoked = state.token;
      await w.db.deleteFrom('tokens').where('hash', '=', hashToken(revoked)).execute();
      expect((await ask(revoked, 'GET', path)).statusCode).toBe(401);
      state.token = await w.token(reader);
    },
    async () => {
      const { token } = state;
      await w.db.updateTable('tokens').set({ scopes: [] }).where('hash', '=', hashToken(token)).execute();
      expect((await ask(token, 'GET', path)).statusCode).toBe(state.visibility === 'public' ? 200 : 404);
      await w.db
        .updateTable('tokens')
        .set({ scopes: ['repo'] })
        .where('hash', '=', hashToken(token))
        .execute();
    },
    async () => {
      await w.db.updateTable('accounts').set({ suspended_at: w.clock.now }).where('id', '=', reader.id).execute();
      expect((await ask(state.token, 'GET', path)).statusCode).toBe(403);
      await w.db.updateTable('accounts').set({ suspended_at: null }).where('id', '=', reader.id).execute();
    },
  ];
  for (let at = 0; at < steps; at++) {
    await changes[next(changes.length)]?.(at);
    const mayRead = state.visibility === 'public' || state.isCollaborator;
    const replies = await Promise.all(Array.from({ length: 1 + next(3) }, () => ask(state.token, 'GET', path)));
    for (const reply of replies) {
      expect(reply.statusCode, `step ${at}`).toBe(mayRead ? 200 : 404);
      if (mayRead) expect(reply.json().description ?? 'none', `step ${at}`).toBe(state.description);
    }
    const user = await ask(state.token, 'GET', '/users/owner');
    expect(user.json().name ?? 'Nobody', `step ${at}`).toBe(state.name);
  }
});

test('a token and a repository that are remembered are confirmed by one statement', async () => {
  const w = await world();
  const owner = await w.user();
  const repo = await w.repo(owner);
  const headers = { authorization: `Bearer ${await w.token(owner)}` };
  const server = await w.another();
  const ask = () => server.app.inject({ method: 'GET', url: `/api/v3/repos/${owner.login}/${repo.name}/labels`, headers });
  const first = await countStatements(ask);
  const second = await countStatements(ask);
  expect(first.result.json()).toEqual(second.result.json());
  expect(first.statements.filter((text) => text.includes('xmin'))).toHaveLength(2);
  expect(second.statements.filter((text) => text.includes('xmin'))).toHaveLength(1);
});
