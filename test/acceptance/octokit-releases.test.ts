// Releases with their files, statuses, stars and teams, by an unmodified Octokit.
import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

const restOf = async (user: Account) =>
  new Octokit({
    auth: await w.token(user, ['repo', 'notifications', 'admin:org', 'user']),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  }).rest;

const bytesOf = (data: unknown): string => Buffer.from(data as ArrayBuffer).toString();

test('an unmodified Octokit publishes a release with a file, of which a watcher is told', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [asAda, asBob] = [await restOf(ada), await restOf(bob)];
  await asAda.repos.createForAuthenticatedUser({ name: 'engine', auto_init: true, private: true });
  const at = { owner: ada.login, repo: 'engine' };
  const { data: commit } = await asAda.repos.getCommit({ ...at, ref: 'main' });

  const status = { ...at, sha: commit.sha, state: 'success', context: 'build', description: 'It turns' } as const;
  expect((await asAda.repos.createCommitStatus(status)).data).toMatchObject({ state: 'success', context: 'build' });
  const { data: combined } = await asAda.repos.getCombinedStatusForRef({ ...at, ref: 'main' });
  expect(combined).toMatchObject({ state: 'success', total_count: 1, sha: commit.sha });
  expect((await asAda.repos.listCommitStatusesForRef({ ...at, ref: 'main' })).data).toHaveLength(1);

  const invited = await asAda.repos.addCollaborator({ ...at, username: bob.login });
  await asBob.repos.acceptInvitationForAuthenticatedUser({ invitation_id: invited.data.id });
  await asBob.activity.setRepoSubscription({ ...at, subscribed: true });
  await w.settle();
  await asBob.activity.markNotificationsAsRead();

  const { data: draft } = await asAda.repos.createRelease({ ...at, tag_name: 'v1', draft: true, body: 'The first' });
  expect((await asAda.repos.listReleases(at)).data).toMatchObject([{ draft: true, tag_name: 'v1' }]);
  // Octokit uploads to another host than its `baseUrl`, unless it is told.
  const file = { ...at, release_id: draft.id, name: 'engine.txt', data: 'cogs and wheels', baseUrl: `${w.url}/api/v3` };
  const { data: asset } = await asAda.repos.uploadReleaseAsset(file);
  expect(asset).toMatchObject({ name: 'engine.txt', state: 'uploaded', size: 15 });
  const { data: release } = await asAda.repos.updateRelease({ ...at, release_id: draft.id, draft: false });
  await w.settle();
  const { data: threads } = await asBob.activity.listNotificationsForAuthenticatedUser();
  expect(threads).toMatchObject([
    { reason: 'subscribed', subject: { type: 'Release', title: 'v1', url: release.url, latest_comment_url: release.url } },
  ]);
  expect((await asBob.repos.getLatestRelease(at)).data.id).toBe(release.id);
  expect((await asBob.repos.getReleaseByTag({ ...at, tag: 'v1' })).data.assets).toMatchObject([{ name: 'engine.txt' }]);
  const octets = { headers: { accept: 'application/octet-stream' } };
  const { data: bytes } = await asBob.repos.getReleaseAsset({ ...at, asset_id: asset.id, ...octets });
  expect(bytesOf(bytes)).toBe('cogs and wheels');
  const { data: notes } = await asAda.repos.generateReleaseNotes({ ...at, tag_name: 'v2' });
  expect(notes.body).toContain('v1...v2');
  const archive = await asBob.repos.downloadZipballArchive({ ...at, ref: 'v1' });
  expect(bytesOf(archive.data).slice(0, 2)).toBe('PK');

  expect((await asBob.activity.starRepoForAuthenticatedUser(at)).status).toBe(204);
  expect((await asBob.activity.checkRepoIsStarredByAuthenticatedUser(at)).status).toBe(204);
  expect((await asAda.activity.listStargazersForRepo(at)).data).toMatchObject([{ login: bob.login }]);
  expect((await asBob.activity.listReposStarredByAuthenticatedUser()).data).toMatchObject([
    { name: 'engine', stargazers_count: 1 },
  ]);
  await asBob.activity.unstarRepoForAuthenticatedUser(at);
  await expect(asBob.activity.checkRepoIsStarredByAuthenticatedUser(at)).rejects.toMatchObject({ status: 404 });

  await asAda.repos.deleteReleaseAsset({ ...at, asset_id: asset.id });
  await asAda.repos.deleteRelease({ ...at, release_id: release.id });
  await expect(asAda.repos.getLatestRelease(at)).rejects.toMatchObject({ status: 404 });
  expect((await asAda.repos.listTags(at)).data).toMatchObject([{ name: 'v1', commit: { sha: commit.sha } }]);
});

test('an unmodified Octokit makes a team and gives it a repository', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const [asAda, asBob] = [await restOf(ada), await restOf(bob)];
  const org = (await w.org(ada)).login;
  await asAda.repos.createInOrg({ org, name: 'engine', private: true });
  await asAda.orgs.setMembershipForUser({ org, username: bob.login });
  await asBob.orgs.updateMembershipForAuthenticatedUser({ org, state: 'active' });
  const { data: team } = await asAda.teams.create({ org, name: 'Boiler room', privacy: 'closed' });
  const named = { org, team_slug: team.slug };
  await asAda.teams.addOrUpdateMembershipForUserInOrg({ ...named, username: bob.login, role: 'member' });
  expect((await asAda.teams.listMembersInOrg(named)).data.map(({ login }) => login)).toContain(bob.login);
  const repo = { ...named, owner: org, repo: 'engine' };
  await asAda.teams.addOrUpdateRepoPermissionsInOrg({ ...repo, permission: 'push' });
  const { data: repos } = await asAda.teams.listReposInOrg(named);
  expect(repos).toMatchObject([{ name: 'engine', permissions: { push: true, admin: false } }]);
  expect((await asBob.repos.get({ owner: org, repo: 'engine' })).data.permissions?.push).toBe(true);
  expect((await asBob.teams.listForAuthenticatedUser()).data).toMatchObject([{ slug: 'boiler-room' }]);
  await asAda.teams.removeRepoInOrg(repo);
  await asAda.teams.deleteInOrg(named);
  await expect(asAda.teams.getByName(named)).rejects.toMatchObject({ status: 404 });
});
