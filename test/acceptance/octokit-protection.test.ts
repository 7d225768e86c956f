import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { app, collaborator, setting, team } from '#test/resources/code/branch-protection/setting.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });

test('an unmodified Octokit protects a branch, changes every part of it, and takes it away', async () => {
  const mine = await setting();
  const { owner, repo, user } = mine;
  const { rest } = new Octokit({
    baseUrl: `${here.url}/api/v3`,
    auth: await here.token(user),
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  const { repos } = rest;
  const about = { owner: owner.login, repo: repo.name, branch: 'main' };
  const [ada, slug, bot] = [await collaborator(mine), await team(mine), await app(mine)];

  const { data: made } = await repos.updateBranchProtection({
    ...about,
    required_status_checks: { strict: true, contexts: ['build'] },
    enforce_admins: null,
    required_pull_request_reviews: { required_approving_review_count: 2, dismissal_restrictions: { users: [ada.login] } },
    restrictions: { users: [], teams: [] },
  });
  expect((await repos.getBranchProtection(about)).data).toEqual(made);
  expect((await repos.getBranch(about)).data).toMatchObject({
    protected: true,
    protection: { required_status_checks: { enforcement_level: 'non_admins', contexts: ['build'] } },
  });
  expect((await repos.listBranches({ ...about, protected: true })).data).toHaveLength(1);

  expect((await repos.setAdminBranchProtection(about)).data.enabled).toBe(true);
  expect((await repos.getAdminBranchProtection(about)).data.enabled).toBe(true);
  await repos.deleteAdminBranchProtection(about);
  expect((await repos.createCommitSignatureProtection(about)).data.enabled).toBe(true);
  expect((await repos.getCommitSignatureProtection(about)).data.enabled).toBe(true);
  await repos.deleteCommitSignatureProtection(about);

  expect((await repos.addStatusCheckContexts({ ...about, contexts: ['test'] })).data).toEqual(['build', 'test']);
  expect((await repos.setStatusCheckContexts({ ...about, contexts: ['lint', 'test'] })).data).toEqual(['lint', 'test']);
  expect((await repos.removeStatusCheckContexts({ ...about, contexts: ['test'] })).data).toEqual(['lint']);
  expect((await repos.getAllStatusCheckContexts(about)).data).toEqual(['lint']);
  expect((await repos.updateStatusCheckProtection({ ...about, strict: false })).data.strict).toBe(false);
  expect((await repos.getStatusChecksProtection(about)).data.contexts).toEqual(['lint']);

  expect((await repos.updatePullRequestReviewProtection({ ...about, dismiss_stale_reviews: true })).data).toMatchObject({
    dismiss_stale_reviews: true,
    required_approving_review_count: 2,
    dismissal_restrictions: { users: [{ login: ada.login }] },
  });
  expect((await repos.getPullRequestReviewProtection(about)).data.dismiss_stale_reviews).toBe(true);

  expect((await repos.addUserAccessRestrictions({ ...about, users: [ada.login] })).data).toHaveLength(1);
  expect((await repos.setTeamAccessRestrictions({ ...about, teams: [slug] })).data).toHaveLength(1);
  expect((await repos.addAppAccessRestrictions({ ...about, apps: [bot.slug] })).data).toHaveLength(1);
  expect((await repos.getAccessRestrictions(about)).data).toMatchObject({
    users: [{ login: ada.login }],
    teams: [{ slug }],
    apps: [{ slug: bot.slug }],
  });
  expect((await repos.removeUserAccessRestrictions({ ...about, users: [ada.login] })).data).toEqual([]);
  expect((await repos.getUsersWithAccessToProtectedBranch(about)).data).toEqual([]);
  expect((await repos.getTeamsWithAccessToProtectedBranch(about)).data).toMatchObject([{ slug }]);
  expect((await repos.getAppsWithAccessToProtectedBranch(about)).data).toMatchObject([{ slug: bot.slug }]);

  await repos.deleteAccessRestrictions(about);
  await repos.removeStatusCheckProtection(about);
  await repos.deletePullRequestReviewProtection(about);
  const { data: bare } = await repos.getBranchProtection(about);
  for (const part of ['restrictions', 'required_status_checks', 'required_pull_request_reviews'])
    expect(bare).not.toHaveProperty(part);
  expect((await repos.deleteBranchProtection(about)).status).toBe(204);
  await expect(repos.getBranchProtection(about)).rejects.toMatchObject({
    status: 404,
    message: expect.stringMatching(/^Branch not protected/),
  });
});

test("the requests of Terraform's provider, in its order: applied, planned again without a difference, changed and destroyed", async () => {
  const mine = await setting();
  const { client, base } = mine;
  const [ada, slug, bot] = [await collaborator(mine), await team(mine), await app(mine)];
  const previews = { headers: { accept: 'application/vnd.github.luke-cage-preview+json' } };
  const signatures = { headers: { accept: 'application/vnd.github.zzzax-preview+json' } };

  type State = { enforceAdmins: boolean; signed: boolean; linear: boolean; count: number; checks: string[]; users: string[] };
  const apply = async ({ enforceAdmins, signed, linear, count, checks, users }: State) => {
    const body = {
      required_status_checks: {
        strict: true,
        checks: checks.map((check) => ({ context: check.split(':')[0], app_id: Number(check.split(':')[1] ?? -1) })),
      },
      required_pull_request_reviews: {
        dismiss_stale_reviews: true,
        require_code_owner_reviews: false,
        required_approving_review_count: count,
        require_last_push_approval: false,
        dismissal_restrictions: { users, teams: [slug], apps: [] },
        bypass_pull_request_allowances: { users: [], teams: [slug], apps: [] },
      },
      enforce_admins: enforceAdmins,
      restrictions: { users, teams: [slug], apps: [bot.slug] },
      required_linear_history: linear,
      required_conversation_resolution: true,
    };
    expect((await client.put(base, body, previews)).status).toBe(200);
    const switched = signed
      ? await client.post(`${base}/required_signatures`, undefined, signatures)
      : await client.delete(`${base}/required_signatures`, undefined, signatures);
    expect(switched.status).toBe(signed ? 200 : 204);
  };

  /** The attributes of the resource, read as the provider reads them. */
  const refresh = async (): Promise<State> => {
    const { body } = await client.get(base, previews);
    expect(body.required_pull_request_reviews.bypass_pull_request_allowances.teams).toMatchObject([{ slug }]);
    expect(body.restrictions.apps).toMatchObject([{ slug: bot.slug }]);
    const logins = (list: { login: string }[]) => list.map(({ login }) => login);
    expect(logins(body.required_pull_request_reviews.dismissal_restrictions.users)).toEqual(logins(body.restrictions.users));
    return {
      enforceAdmins: body.enforce_admins.enabled,
      signed: (await client.get(`${base}/required_signatures`, signatures)).body.enabled,
      linear: body.required_linear_history.enabled,
      count: body.required_pull_request_reviews.required_approving_review_count,
      checks: body.required_status_checks.checks.map(({ context, app_id }: { context: string; app_id: number | null }) =>
        app_id === null ? context : `${context}:${app_id}`,
      ),
      users: logins(body.restrictions.users),
    };
  };

  expect((await client.get(base, previews)).status).toBe(404);
  const first = {
    enforceAdmins: true,
    signed: true,
    linear: true,
    count: 2,
    checks: ['build', `test:${bot.id}`],
    users: [ada.login],
  };
  await apply(first);
  expect(await refresh()).toEqual(first);
  const second = { enforceAdmins: false, signed: false, linear: false, count: 1, checks: ['lint'], users: [] };
  await apply(second);
  expect(await refresh()).toEqual(second);
  await apply(second);
  expect(await refresh()).toEqual(second);
  expect((await client.delete(base)).status).toBe(204);
  expect((await client.get(base, previews)).status).toBe(404);
});
