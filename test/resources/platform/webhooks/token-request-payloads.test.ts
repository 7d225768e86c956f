import { expect, test } from 'vitest';
import { revokeToken } from '#resources/identity/tokens/index.ts';
import { listenAs } from '#test/resources/code/checks/setting.ts';
import { change, demanding, onlyRequest, tokenFor } from '#test/resources/repositories/token-approvals/support.ts';
import { world } from '#test/support/world.ts';
import { heard } from './listening.ts';

const here = await world({ vocabulary: 'github' });

test('apps are told what fine-grained tokens ask for, and what becomes of it', async () => {
  const { member, org, engine, other, app, reviewer, base } = await demanding(here);
  const row = await here.db
    .updateTable('installations')
    .set({ events: ['personal_access_token_request'] })
    .where('id', '=', app.installation)
    .returning('app_id')
    .executeTakeFirstOrThrow();
  const target = await listenAs(here, row.app_id);
  const path = `${base}/personal-access-token-requests`;
  const name = 'personal_access_token_request';
  const about = { organization: { login: org.login }, installation: { id: app.installation } };

  const wish = { permissions: { issues: 'read', organization_webhooks: 'read' }, repositories: [engine] };
  const { token, row: made } = await tokenFor(here, member, org, wish);
  const told = await heard(here, target);
  expect(told).toMatchObject({
    [`${name}.created`]: {
      ...about,
      sender: { login: member.login },
      [name]: {
        owner: { login: member.login },
        permissions_added: { organization: { organization_hooks: 'read' }, repository: { issues: 'read' }, other: {} },
        permissions_upgraded: { organization: {}, repository: {}, other: {} },
        permissions_result: { organization: { organization_hooks: 'read' }, repository: { issues: 'read' }, other: {} },
        repository_selection: 'subset',
        repository_count: 1,
        repositories: [{ id: engine.id, full_name: `${org.login}/${engine.name}`, private: true }],
        token_id: made.id,
        token_name: 'mine',
        token_expired: false,
      },
    },
  });
  const first = await onlyRequest(reviewer, base);
  expect(first.id).toBe(told[`${name}.created`][name].id);
  await reviewer.post(`${path}/${first.id}`, { action: 'approve' });
  expect(await heard(here, target)).toMatchObject({ [`${name}.approved`]: { ...about, [name]: { id: first.id } } });

  await change(here, token, { permissions: { issues: 'write', contents: 'read' }, repositories: [engine, other] });
  expect(await heard(here, target)).toMatchObject({
    [`${name}.created`]: {
      [name]: {
        permissions_added: { repository: { contents: 'read' } },
        permissions_upgraded: { repository: { issues: 'write' } },
        permissions_result: { repository: { issues: 'write', contents: 'read' } },
        repository_count: 2,
      },
    },
  });
  const second = await onlyRequest(reviewer, base);
  await reviewer.post(`${path}/${second.id}`, { action: 'deny' });
  expect(await heard(here, target)).toMatchObject({ [`${name}.denied`]: { ...about, [name]: { id: second.id } } });

  await change(here, token, { repositories: 'all' });
  expect(await heard(here, target)).toMatchObject({
    [`${name}.created`]: { [name]: { repository_selection: 'all', repository_count: null, repositories: null } },
  });
  await here.change((scope) => revokeToken(scope, token, here.clock.now));
  expect(await heard(here, target)).toMatchObject({ [`${name}.cancelled`]: { ...about, [name]: { token_id: made.id } } });
});
