import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, org, member, fineGrained, unchanged } = await world();

test('owners cap the open pull requests of outsiders', async () => {
  const [owner, grace] = [await user(), await user()];
  const acme = await org(owner);
  await member(acme, grace);
  const path = `/orgs/${acme.login}/interaction-limits/pulls/creation-cap`;
  const client = await as(owner);
  expect((await client.get(path)).body).toEqual({ enabled: false, max_open_pull_requests: 10 });
  expect((await client.patch(path, { enabled: true, max_open_pull_requests: 3 })).body).toEqual({
    enabled: true,
    max_open_pull_requests: 3,
  });
  expect((await client.patch(path, { enabled: false })).body).toEqual({ enabled: false, max_open_pull_requests: 3 });
  await unchanged(['events'], async () => {
    for (const wrong of [
      {},
      { enabled: 'yes' },
      { enabled: true, max_open_pull_requests: 0 },
      { enabled: true, max_open_pull_requests: 1001 },
    ])
      expect((await client.patch(path, wrong)).status).toBe(422);
    expect((await (await as(grace)).get(path)).status).toBe(404);
    expect((await (await as(grace)).patch(path, { enabled: true })).status).toBe(403);
    const reading = await as(await fineGrained(owner, acme, { organization_administration: 'read' }));
    expect((await reading.patch(path, { enabled: true })).status).toBe(403);
    expect((await reading.get(path)).body).toEqual({ enabled: false, max_open_pull_requests: 3 });
  });
});

test('of two changes at once, neither undoes what it does not name', async () => {
  const owner = await user();
  const acme = await org(owner);
  const path = `/orgs/${acme.login}/interaction-limits/pulls/creation-cap`;
  const client = await as(owner);
  for (let round = 1; round <= 8; round++) {
    await client.patch(path, { enabled: false });
    await Promise.all([
      client.patch(path, { enabled: true }),
      client.patch(path, { enabled: true, max_open_pull_requests: 100 + round }),
    ]);
    expect((await client.get(path)).body).toEqual({ enabled: true, max_open_pull_requests: 100 + round });
  }
});
