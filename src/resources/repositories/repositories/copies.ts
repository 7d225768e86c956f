import type { RepositoryAction } from '#access/action.ts';
import { mayRead } from '#access/authorize.ts';
import { findRepoById } from '#access/lookup.ts';
import type { NewOwner } from '#access/owner.ts';
import type { Role } from '#access/roles.ts';
import type { Account, Repo, RepositoryRow, SignedIn } from '#access/viewer.ts';
import type { ServedChangeScope, WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Identity } from '#git/objects/identity.ts';
import type { GitStore } from '#git/repo.ts';
import { forbidden, invalid, notFound, unprocessable } from '#lib/refusal.ts';
import { removeCollaborator } from '#resources/identity/members/index.ts';
import { giveTeamAccess, removeRepositoryFromTeams } from '#resources/identity/teams/index.ts';
import { removeRepositoryFromTokens } from '#resources/identity/tokens/index.ts';
import { removeAllValues } from '#resources/repositories/custom-properties/index.ts';
import { checkArriving } from './arriving-workflows.ts';
import { copyOf, copyTemplate, type Initialize } from './initialize.ts';
import { leaveInstallations } from './leave-installations.ts';
import { checkMemberPrivilege } from './member-privileges.ts';
import { evaluateRules, type RuledScope } from './ruled-change.ts';
import {
  checkMayCreate,
  checkName,
  createRepository,
  createUnruledFork,
  letMemberAdminister,
  precheckCreation,
  precheckRules,
} from './rules.ts';
import {
  countForks,
  findForkOf,
  findOwned,
  listPrivateForks,
  lockOwner,
  putRedirect,
  removeRedirect,
  updateRuledRepository,
} from './store.ts';

/** Forks, copies of templates, and transfers. */

type NewFork = RepositoryAction & { owner: NewOwner; name: string | undefined; onlyBranch: string | undefined };
type Fork = { row: RepositoryRow; role: Role | undefined };

/**
 * Forks a repository to an account; in its own organization, under another name. As in the public API, an account has at most one
 * fork of a source: if it exists, it is returned. The fork of a private repository is private.
 */
export async function forkRepository({ db, change, git }: ServedChangeScope<'repositoryRules'>, wanted: NewFork): Promise<Fork> {
  const existing = await change(async (scope) => {
    const found = await findOwnFork(scope, wanted);
    if (!found) await precheckRules(scope, await forkCreation(scope, wanted));
    return found;
  });
  if (existing) return existing;
  await using copy = await copyOf(git, wanted.repo, wanted.onlyBranch);
  await checkArriving(db, { ...wanted, source: wanted.repo }, copy.findWorkflowFolder);
  return await change(async (scope) => {
    await lockOwner(scope.tx, wanted.owner.id); // of two concurrent requests, the second finds the fork of the first
    const present = { ...wanted, repo: await presentSource(scope, wanted.by, wanted.repo) };
    return (await findOwnFork(scope, present)) ?? createFork(scope, { ...present, git, initialize: copy.initialize });
  });
}

/**
 * The source of a copy, as it is once the copy was made, which may take minutes: a fork is as visible as its source is then.
 * @throws Refusal 404 where the caller may not read it any more
 */
async function presentSource(scope: WriteScope, by: SignedIn, { id }: Repo): Promise<Repo> {
  const source = await findRepoById(scope.tx, by, id);
  if (!source || !mayRead(source, by.grant)) throw notFound();
  return source;
}

/**
 * The owner's existing fork of this source. Refuses callers who may not create one. If the caller may not see the existing fork,
 * the refusal is the one for an organization that doesn't exist.
 */
async function findOwnFork(scope: WriteScope, { repo, owner, by }: NewFork): Promise<Fork | undefined> {
  await checkMayFork(scope, { repo, by });
  if (owner.id === repo.owner_id && owner.kind !== 'organization')
    throw forbidden('Repository cannot be forked into the account that owns it.');
  await checkMayCreate(scope, { owner, by, visibility: repo.visibility });
  const found = await findForkOf(scope.tx, owner.id, repo.source_id ?? repo.id);
  if (!found) return undefined;
  const visible = await findRepoById(scope.tx, by, found.id);
  if (!visible || !mayRead(visible, by.grant)) throw invalidForkOwner();
  return { row: found, role: visible.role };
}

export const invalidForkOwner = () =>
  invalid('Fork', 'organization', 'invalid', 'organization is not one in which you may create a fork');

const forkCreation = async (scope: WriteScope, { repo, owner, by, name }: NewFork) => ({
  owner,
  by,
  wanted: {
    name: name ?? (await findFreeName(scope, owner, repo.name)),
    description: repo.description,
    visibility: repo.visibility,
    has_issues: false,
  },
  from: {
    parent_id: repo.id,
    source_id: repo.source_id ?? repo.id,
    default_branch: repo.default_branch,
    forked_from_private: repo.visibility === 'private',
  },
});

async function createFork(scope: RuledScope, wanted: NewFork & { git: GitStore; initialize: Initialize }): Promise<Fork> {
  const { git, repo, by, now, initialize } = wanted;
  const row = await createRepository(scope, { ...(await forkCreation(scope, wanted)), git, initialize, now });
  await countForks(scope.tx, repo.id);
  await record(scope.tx, { ...inRepository({ repo, by, now }), kind: 'repository.forked', data: { fork: row.id } });
  return { row, role: 'admin' };
}

/** Copies a repository for a private fork, outside of transactions. */
export const preparePrivateFork = (git: GitStore, repo: RepositoryRow) => copyOf(git, repo, undefined);

/**
 * Creates a private fork of a repository next to it, from a copy. The family of advisories checks the caller's rights, and stores
 * which advisory the fork belongs to.
 */
export const createPrivateFork = (
  scope: WriteScope,
  { repo, by, now, git, name, initialize }: RepositoryAction & { git: GitStore; name: string; initialize: Initialize },
): Promise<RepositoryRow> =>
  createUnruledFork(scope, {
    git,
    owner: { ...repo.owner, role: 'owner' },
    by,
    wanted: { name, description: repo.description, visibility: 'private', has_issues: false },
    from: { default_branch: repo.default_branch, is_private_fork: true, allow_forking: false },
    initialize,
    now,
  });

/**
 * Public repositories may be forked. For others, both the repository and its organization must allow it (the public API's rule).
 */
async function checkMayFork(scope: WriteScope, action: Pick<RepositoryAction, 'repo' | 'by'>): Promise<void> {
  if (action.repo.visibility === 'public') return;
  if (action.repo.is_private_fork) throw forbidden('A private fork of a security advisory cannot be forked.');
  if (!action.repo.allow_forking) throw forbidden('The repository exists, but forking is disabled.');
  await checkMemberPrivilege(scope, 'members_can_fork_private_repositories', action);
}

/** The name, with a number appended if the owner already has a repository with that name. */
async function findFreeName(scope: WriteScope, owner: Account, name: string): Promise<string> {
  if (!(await findOwned(scope.tx, owner.id, name))) return name;
  for (let number = 1; number < 100; number++)
    if (!(await findOwned(scope.tx, owner.id, `${name}-${number}`))) return `${name}-${number}`;
  throw invalid('Fork', 'name', 'already_exists', 'Give the fork a name of its own');
}

type TemplateCopy = {
  template: Repo;
  owner: NewOwner;
  by: SignedIn;
  wanted: { name: string; description?: string | undefined; private?: boolean | undefined };
  allBranches: boolean;
  identity: Identity;
  now: Date;
};

/** Creates a repository from a template: the files of its branches, without their history. */
export async function generateFromTemplate(
  { db, change, git }: ServedChangeScope<'repositoryRules'>,
  { template, owner, by, wanted, allBranches, identity, now }: TemplateCopy,
): Promise<RepositoryRow> {
  if (!template.is_template) throw unprocessable('The repository is not a template.');
  await change((scope) => precheckCreation(scope, { owner, by, wanted }));
  await using copy = await copyTemplate(git, template, { by: identity, allBranches });
  await checkArriving(db, { owner, by, source: template }, copy.findWorkflowFolder);
  const from = { template_id: template.id, default_branch: template.default_branch };
  return await change(async (scope) => {
    await presentSource(scope, by, template);
    return createRepository(scope, { git, owner, by, wanted, from, initialize: copy.initialize, now });
  });
}

type Transfer = RepositoryAction & { to: NewOwner; name: string | undefined; teams: readonly number[] };

/** Transfers a repository to the caller's own account, or to an organization in which the caller may create repositories. */
export async function transferRepository(
  scope: RuledScope,
  { repo, to, name: wantedName, teams, by, now }: Transfer,
): Promise<RepositoryRow> {
  const name = wantedName === undefined ? repo.name : checkName(wantedName);
  if (repo.is_private_fork || (await listPrivateForks(scope.tx, repo.id)).length > 0)
    throw unprocessable('A private fork of a security advisory stays with its repository, and that with its owner.');
  if (to.kind === 'bot' || (to.kind === 'user' && to.id !== by.account.id))
    throw invalid('Repository', 'new_owner', 'invalid', 'You may transfer only to yourself or an organization of yours');
  if (to.id === repo.owner_id)
    throw invalid('Repository', 'new_owner', 'invalid', 'Repositories cannot be transferred to the original owner');
  await checkMemberPrivilege(scope, 'members_can_delete_repositories', { repo, by });
  await checkMayCreate(scope, { owner: to, by, visibility: repo.visibility });
  const taken = await findOwned(scope.tx, to.id, name);
  if (taken && taken.id !== repo.id)
    throw invalid('Repository', 'new_name', 'already_exists', 'name already exists on the new account');
  const { visibility, language } = repo;
  const leaving = await evaluateRules(scope, { by }, { kind: 'transfer', repo });
  const arrival = { kind: 'create', owner: to, name, visibility, isFork: repo.source_id !== null, language } as const;
  const arriving = await evaluateRules(scope, { by }, arrival);
  await Promise.all([leaving, arriving].map((approval) => approval.record(scope, repo.id)));
  // Removes what the former owner granted. Collaborators keep their roles, except the new owner.
  await leaveInstallations(scope, { repo, by, now });
  await removeRepositoryFromTeams(scope.tx, repo.id);
  await removeRepositoryFromTokens(scope.tx, repo.id);
  await removeAllValues(scope.tx, repo.id);
  const row = await updateRuledRepository(scope.tx, repo.id, { owner_id: to.id, name, updated_at: now }, arriving);
  await removeRedirect(scope.tx, to.login, name);
  await putRedirect(scope.tx, repo.owner.login, repo.name, repo.id, now);
  await letMemberAdminister(scope, repo.id, { owner: to, by, now });
  if (to.kind === 'user') await removeCollaborator(scope.tx, repo.id, to.id);
  const given = await giveTeamAccess(scope.tx, to.id, teams, repo.id, now);
  if (given.length !== new Set(teams).size)
    throw invalid('Repository', 'team_ids', 'invalid', 'team_ids must be teams of the new owner');
  await record(scope.tx, {
    kind: 'repository.transferred',
    owner: to.id,
    repository: repo.id,
    actor: by.account.id,
    at: now,
    data: { from: repo.owner_id, name: repo.name },
  });
  return row;
}
