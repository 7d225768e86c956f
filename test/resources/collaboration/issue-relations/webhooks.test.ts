import { expect, test } from 'vitest';
import { heard, listening } from '#test/resources/platform/webhooks/listening.ts';
import { repositoryOf } from './setting.ts';

test('hooks hear of relations in the repositories of both issues, in the public words', async () => {
  const { here, owner, org, client, target } = await listening();
  const [one, other] = [await repositoryOf(org, owner, client), await repositoryOf(org, owner, client)];
  const [top, sub] = [await one.open('Top'), await other.open('Sub')];
  await heard(here, target);

  await client.post(`${top.at}/sub_issues`, { sub_issue_id: sub.id });
  const parts = { sub_issue_id: sub.id, sub_issue: { title: 'Sub' }, parent_issue_id: top.id, parent_issue: { title: 'Top' } };
  const [repository, elsewhere] = [{ name: one.engine.name }, { name: other.engine.name }];
  expect(await heard(here, target)).toMatchObject({
    'sub_issues.sub_issue_added': { ...parts, repository, sub_issue_repo: elsewhere, sender: { login: owner.login } },
    'sub_issues.parent_issue_added': { ...parts, repository: elsewhere, parent_issue_repo: repository },
  });
  await client.delete(`${top.at}/sub_issue`, { sub_issue_id: sub.id });
  expect(await heard(here, target)).toMatchObject({
    'sub_issues.sub_issue_removed': { ...parts, repository },
    'sub_issues.parent_issue_removed': { ...parts, repository: elsewhere },
  });

  await client.post(`${top.at}/dependencies/blocked_by`, { issue_id: sub.id });
  const ends = {
    blocked_issue_id: top.id,
    blocked_issue: { title: 'Top', issue_dependencies_summary: { blocked_by: 1 } },
    blocking_issue_id: sub.id,
    blocking_issue: { title: 'Sub' },
    organization: { login: org.login },
  };
  expect(await heard(here, target)).toMatchObject({
    'issue_dependencies.blocked_by_added': { ...ends, repository, blocking_issue_repo: elsewhere },
    'issue_dependencies.blocking_added': { ...ends, repository: elsewhere, blocked_issue_repo: repository },
  });
  await client.delete(`${top.at}/dependencies/blocked_by/${sub.id}`);
  expect(Object.keys(await heard(here, target)).sort()).toEqual([
    'issue_dependencies.blocked_by_removed',
    'issue_dependencies.blocking_removed',
  ]);
});

test('hooks of a repository do not hear of an issue in one that is not public', async () => {
  const { here, owner, org, client, target } = await listening();
  const [open, secret] = [await repositoryOf(org, owner, client), await repositoryOf(org, owner, client, 'private')];
  const [top, sub] = [await open.open(), await secret.open()];
  await heard(here, target);
  await client.post(`${top.at}/sub_issues`, { sub_issue_id: sub.id });
  expect(Object.keys(await heard(here, target))).toEqual(['sub_issues.parent_issue_added']);
});
