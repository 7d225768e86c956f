import type { RepositoryAction } from '#access/action.ts';
import { reaches } from '#access/roles.ts';
import { expandScopes } from '#access/scopes.ts';
import { type Account, hasNoRole, isScoped, type Repo, type RepositoryRow, type SignedIn } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record, recordAll } from '#events/record.ts';
import { eventsOfMoves } from '#events/ref-moves.ts';
import { inRepository } from '#events/scope.ts';
import { setDefaultBranch } from '#git/refs/refs.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { defined, unique } from '#lib/collections.ts';
import { forbidden, invalid, refuseSwitchedOn, unprocessable } from '#lib/refusal.ts';
import { raiseCollaborator } from '#resources/identity/members/index.ts';
import { getSettings } from '#resources/identity/organizations/index.ts';
import { giveTeamAccess } from '#resources/identity/teams/index.ts';
import { type FirstValues, setFirstValues } from '#resources/repositories/custom-properties/index.ts';
import { insertFirstLabels } from '#resources/repositories/labels/index.ts';
import { branchExists, type Initialize, initializeEmpty } from './initialize.ts';
import { checkMemberPrivilege } from './member-privileges.ts';
import { evaluateRules, exemptAs, type RuleApproval, type RuledActor, type RuledScope } from './ruled-change.ts';
import { missingFeatures, type NewRepository, type RepositoryChange } from './schemas.ts';
import { firstSwitches, recordSwitches, switchesAfter, wantedSwitches } from './security.ts';
import { checkSignoffChange } from './signoff.ts';
import {
  countForks,
  findOwned,
  findRepository,
  insertRepository,
  putRedirect,
  removeRedirect,
  updateRepository,
  updateRuledRepository,
} from './store.ts';

/**
 * The public API's rule for names: ASCII letters, digits, `.`, `-` and `_`, at most 100 characters. Names with a special meaning
 * in paths or in Git are refused.
 */
const namePattern = /^[\w.-]{1,100}$/;
const forbiddenNames = new Set(['.', '..', '.git', '.wiki']);

/** Refuses a name that breaks the rule. A trailing `.git` is dropped, as the public API does. */
export function checkName(name: string): string {
  const base = name.replace(/\.git$/i, '');
  if (!namePattern.test(base) || forbiddenNames.has(base.toLowerCase())) {
    throw invalid('Repository', 'name', 'invalid', 'name can only contain ASCII letters, digits, and the characters ., -, and _');
  }
  return base;
}

const nameTaken = () => invalid('Repository', 'name', 'already_exists', 'name already exists on this account');

type Visibility = RepositoryRow['visibility'];

/** The visibility that a request asks for. `visibility` overrides the older `private`, since it can be `internal`. */
const visibilityOf = ({
  visibility,
  private: isPrivate,
}: {
  visibility?: Visibility | undefined;
  private?: boolean | undefined;
}): Visibility | undefined => visibility ?? (isPrivate === undefined ? undefined : isPrivate ? 'private' : 'public');

/** Refuses an account or a credential that may not create a repository of this visibility for this owner. */
export async function checkMayCreate(
  scope: WriteScope,
  { owner, by, visibility }: { owner: Account & { role?: string | undefined }; by: SignedIn; visibility: Visibility },
): Promise<void> {
  checkCredential(owner, by, visibility);
  if (owner.kind !== 'organization') {
    if (visibility === 'internal')
      throw invalid('Repository', 'visibility', 'invalid', 'Only organizations have internal repositories');
    return;
  }
  if (by.grant.kind === 'installation' || owner.role === 'owner') return;
  const settings = await getSettings(scope.tx, owner.id);
  const allowed = settings.members_can_create_repositories && settings[`members_can_create_${visibility}_repositories`];
  if (owner.role !== 'member' || !allowed) throw forbidden(`You may not create ${visibility} repositories in this organization.`);
}

/** The scope `public_repo` covers only public repositories. A fine-grained token covers only the account that it was made for. */
function checkCredential(owner: Account, { grant }: SignedIn, visibility: Visibility): void {
  if (isScoped(grant) && visibility !== 'public' && !expandScopes(grant.scopes).has('repo'))
    throw forbidden('Token lacks the scope repo, which repositories that are not public need');
  if (grant.kind === 'fine_grained_pat' && grant.ownerId !== owner.id)
    throw forbidden('Resource not accessible by personal access token');
}

export type Creation = {
  git: GitStore;
  owner: Account & { role?: string | undefined };
  by: SignedIn;
  wanted: NewRepository;
  from?: Partial<
    Pick<
      RepositoryRow,
      'parent_id' | 'source_id' | 'template_id' | 'default_branch' | 'is_private_fork' | 'allow_forking' | 'forked_from_private'
    >
  >;
  /** `none`: the repository doesn't get the default labels, since the caller adds others. */
  labels?: 'none';
  /** Values of its custom properties. Omitted if the request can't set any, for example for forks. */
  properties?: FirstValues;
  /** Creates the folder on disk. The default creates an empty repository. */
  initialize?: Initialize;
  /** For operators' commands; see `RuledActor`. */
  onBypass?: RuledActor['onBypass'];
  now: Date;
};

/**
 * Refuses an invalid name or a visibility that isn't allowed; returns both. Inserting the row checks whether the name is taken.
 */
async function checkCreation(
  scope: WriteScope,
  { owner, by, wanted }: Pick<Creation, 'owner' | 'by' | 'wanted'>,
): Promise<Named> {
  const name = checkName(wanted.name);
  // Clients send the other settings as their defaults for new repositories, as `gh repo create` does.
  refuseSwitchedOn('Repository', wanted, ['has_discussions', 'allow_auto_merge']);
  const visibility = visibilityOf(wanted) ?? 'public';
  await checkMayCreate(scope, { owner, by, visibility });
  if (wanted.has_projects) await checkMayHaveProjects(scope, owner);
  return { name, visibility };
}

/** Refuses projects where the organization switched them off for its repositories, as the public API does. */
async function checkMayHaveProjects(scope: WriteScope, owner: Account): Promise<void> {
  if (owner.kind !== 'organization' || (await getSettings(scope.tx, owner.id)).has_repository_projects) return;
  const message = `${owner.login} has switched off projects for its repositories`;
  throw invalid('Repository', 'has_projects', 'invalid', message);
}

type Named = { readonly name: string; readonly visibility: Visibility };
type RuledCreation = Pick<Creation, 'owner' | 'by' | 'wanted' | 'from' | 'properties' | 'onBypass'>;

const evaluateCreation = (scope: RuledScope, { owner, from, properties, ...actor }: RuledCreation, named: Named) =>
  evaluateRules(scope, actor, {
    kind: 'create',
    owner,
    isFork: from?.source_id !== undefined,
    language: null,
    properties,
    ...named,
  });

/** Refuses what `createRepository` would refuse apart from a name that is taken, before expensive work starts. */
export async function precheckRules(scope: RuledScope, creation: RuledCreation): Promise<Named> {
  const named = await checkCreation(scope, creation);
  await evaluateCreation(scope, creation, named);
  return named;
}

/** The same with a name that is taken. */
export async function precheckCreation(scope: RuledScope, creation: RuledCreation): Promise<void> {
  const { name } = await precheckRules(scope, creation);
  if (await findOwned(scope.tx, creation.owner.id, name)) throw nameTaken();
}

/**
 * Creates a repository: its row, its folder on disk and its event. The folder is created before the transaction commits, so that
 * every acknowledged repository has one. A folder without a row is harmless, since ids aren't reused.
 */
export async function createRepository(scope: RuledScope, creation: Creation): Promise<RepositoryRow> {
  const named = await checkCreation(scope, creation);
  return addRepository(scope, creation, named, await evaluateCreation(scope, creation, named));
}

/** Creates a private fork of a security advisory, which rules of its organization aren't about. */
export async function createUnruledFork(scope: WriteScope, creation: Creation): Promise<RepositoryRow> {
  return addRepository(scope, creation, await checkCreation(scope, creation), exemptAs('privateFork'));
}

async function addRepository(
  scope: WriteScope,
  { git, owner, by, wanted, from = {}, labels, properties, initialize = initializeEmpty(git), now }: Creation,
  { name, visibility }: Named,
  approval: RuleApproval,
): Promise<RepositoryRow> {
  const { auto_init, gitignore_template, license_template, ...rest } = wanted;
  const {
    team_id,
    private: _private,
    visibility: _visibility,
    name: _name,
    ...settings
  } = withoutMissing(withTitleSetting(rest));
  const values = {
    ...defined(settings),
    ...from,
    ...(await firstSwitches(scope.tx, owner)),
    ...(license_template ? { license: license_template.toLowerCase() } : {}),
    owner_id: owner.id,
    name,
    visibility,
    created_by: by.account.id,
    created_at: now,
    updated_at: now,
  };
  const row = await insertRepository(scope.tx, values, approval);
  if (!row) throw nameTaken();
  await approval.record(scope, row.id);
  if (labels !== 'none') await insertFirstLabels(scope.tx, row.id);
  await removeRedirect(scope.tx, owner.login, name);
  await letMemberAdminister(scope, row.id, { owner, by, now });
  if (team_id !== undefined) await giveTeamRole(scope, owner, team_id, row, now);
  const event = { owner: owner.id, repository: row.id, actor: by.account.id, at: now };
  await record(scope.tx, { ...event, kind: 'repository.created', data: {} });
  if (properties) await setFirstValues(scope, row, { by, now }, properties);
  const moves = await initialize(row);
  if (moves.length === 0) return row;
  await recordAll(scope.tx, eventsOfMoves(event, moves, { defaultBranch: row.default_branch, initial: true }));
  return updateRepository(scope.tx, row.id, { pushed_at: now });
}

/**
 * Makes a member who creates a repository in an organization its administrator, as the public API does. Owners administer all
 * repositories already, and an app acts by its own permissions.
 */
export async function letMemberAdminister(
  scope: WriteScope,
  repository: RepositoryRow['id'],
  { owner, by, now }: Pick<Creation, 'owner' | 'by' | 'now'>,
): Promise<void> {
  if (owner.kind !== 'organization' || owner.role !== 'member' || hasNoRole(by.grant)) return;
  await raiseCollaborator(scope.tx, by.account.id, [{ repository_id: repository, role: 'admin' }], now);
}

async function giveTeamRole(scope: WriteScope, owner: Account, team: number, row: RepositoryRow, now: Date): Promise<void> {
  const given = await giveTeamAccess(scope.tx, owner.id, [team], row.id, now);
  if (given.length === 0) throw invalid('Repository', 'team_id', 'invalid', 'team_id is not a team of this organization');
}

type TitleSettings = Pick<NewRepository, 'squash_merge_commit_title' | 'use_squash_pr_title_as_default'>;

/** Translates `use_squash_pr_title_as_default`, the older name of a setting, which the newer one overrides. */
function withTitleSetting<Wanted extends TitleSettings>(wanted: Wanted): Omit<Wanted, 'use_squash_pr_title_as_default'> {
  const { use_squash_pr_title_as_default: usesTitle, ...rest } = wanted;
  if (usesTitle === undefined || wanted.squash_merge_commit_title !== undefined) return rest;
  return { ...rest, squash_merge_commit_title: usesTitle ? 'PR_TITLE' : 'COMMIT_OR_PR_TITLE' };
}

type MissingFeature = (typeof missingFeatures)[number];

/** The requested settings without features that the server doesn't have: these stay off. */
function withoutMissing<Wanted extends { readonly [Feature in MissingFeature]?: boolean | undefined }>(
  wanted: Wanted,
): Omit<Wanted, MissingFeature> {
  const { has_projects: _projects, has_wiki: _wiki, has_discussions: _discussions, allow_auto_merge: _merge, ...rest } = wanted;
  return rest;
}

/** Refuses security managers, who don't administer the repository, other changes than those of its security switches. */
function checkMayChange({ repo, by }: RepositoryAction, { security_and_analysis: _, ...others }: RepositoryChange): void {
  if (reaches(repo.role, 'admin') || hasNoRole(by.grant) || Object.keys(defined(others)).length === 0) return;
  throw forbidden('Must have admin rights to Repository.');
}

/** Changes a repository. Renaming, archiving and other changes with their own webhook event are recorded as separate events. */
export async function changeRepository(
  scope: RuledScope,
  action: RepositoryAction & { git: GitStore },
  wanted: RepositoryChange,
): Promise<RepositoryRow> {
  const { git, repo, now } = action;
  checkMayChange(action, wanted);
  const {
    name: wantedName,
    private: _private,
    visibility: _visibility,
    security_and_analysis,
    ...settings
  } = withoutMissing(withTitleSetting(wanted));
  const name = wantedName === undefined ? repo.name : checkName(wantedName);
  const visibility = visibilityOf(wanted) ?? repo.visibility;
  if (repo.archived && wanted.archived !== false) throw forbidden('Repository was archived so is read-only.');
  refuseSwitchedOn('Repository', wanted, missingFeatures);
  checkSignoffChange(repo, wanted.web_commit_signoff_required);
  if (visibility !== repo.visibility) await checkMayChangeVisibility(scope, action, visibility);
  const ruled = {
    ...(name === repo.name ? {} : { name }),
    ...(visibility === repo.visibility ? {} : { visibility }),
  };
  const approval = await evaluateUpdate(scope, action, ruled);
  if (name !== repo.name) await prepareRename(scope, repo, name, now);
  const switches = await switchesAfter(scope.tx, repo, wantedSwitches(security_and_analysis));
  const values = { ...defined(settings), ...switches, updated_at: now };
  const row = await (approval
    ? updateRuledRepository(scope.tx, repo.id, { ...values, ...ruled }, approval)
    : updateRepository(scope.tx, repo.id, values));
  await approval?.record(scope, repo.id);
  const event = inRepository(action);
  if (name !== repo.name) await record(scope.tx, { ...event, kind: 'repository.renamed', data: { from: repo.name } });
  if (visibility !== repo.visibility) {
    const kind = visibility === 'public' ? 'repository.publicized' : 'repository.privatized';
    await record(scope.tx, { ...event, kind, data: {} });
    for (const id of unique([repo.id, repo.parent_id])) await countForks(scope.tx, id);
  }
  if (row.archived !== repo.archived)
    await record(scope.tx, { ...event, kind: row.archived ? 'repository.archived' : 'repository.unarchived', data: {} });
  if (row.default_branch !== repo.default_branch) {
    await moveDefaultBranch(git, repo, row.default_branch);
    await record(scope.tx, {
      ...event,
      kind: 'repository.default_branch_changed',
      data: { from: repo.default_branch, to: row.default_branch },
    });
  }
  const changes = Object.keys(defined(settings)).filter((key) => key !== 'archived' && key !== 'default_branch');
  if (changes.length > 0)
    await record(scope.tx, { ...event, kind: 'repository.updated', data: { changes, from: formerValuesOf(repo, changes) } });
  await recordSwitches(scope, action, row);
  return row;
}

/** Evaluates rules about a new name or visibility; undefined if the repository keeps both. */
async function evaluateUpdate(
  scope: RuledScope,
  { repo, by }: RepositoryAction,
  changes: Partial<Named>,
): Promise<RuleApproval | undefined> {
  if (Object.keys(changes).length === 0) return undefined;
  return repo.is_private_fork ? exemptAs('privateFork') : evaluateRules(scope, { by }, { kind: 'update', repo, ...changes });
}

/** The former values of what changed, for the event. */
const formerValuesOf = ({ description, homepage }: Repo, changes: readonly string[]) => ({
  ...(changes.includes('description') ? { description } : {}),
  ...(changes.includes('homepage') ? { homepage } : {}),
});

/**
 * Changes the default branch in Git. The branch must exist, except in an empty repository, where the first push may create it.
 */
async function moveDefaultBranch(git: GitStore, repo: Repo, branch: string): Promise<void> {
  if (repo.pushed_at !== null && !(await branchExists(git, repo.id, branch))) {
    throw invalid(
      'Repository',
      'default_branch',
      'invalid',
      `The branch ${branch} was not found. Please push that ref first or create it via the API.`,
    );
  }
  await setDefaultBranch(repoOf(git, repo.id), branch);
}

async function checkMayChangeVisibility(scope: WriteScope, action: RepositoryAction, visibility: Visibility): Promise<void> {
  if (action.repo.is_private_fork) throw unprocessable('A private fork of a security advisory stays private.');
  if (action.repo.owner.kind === 'user' && visibility === 'internal')
    throw invalid('Repository', 'visibility', 'invalid', 'Only organizations have internal repositories');
  await checkForkVisibility(scope, action.repo, visibility);
  await checkMemberPrivilege(scope, 'members_can_change_repo_visibility', action);
}

/**
 * A fork gets the visibility of its parent (the public API's rule). Otherwise, users who may fork a private repository could
 * publish it. A fork of a private one stays private when that is deleted.
 */
async function checkForkVisibility(
  scope: WriteScope,
  { parent_id, visibility: present, forked_from_private }: Repo,
  visibility: Visibility,
): Promise<void> {
  const parent = parent_id === null ? undefined : await findRepository(scope.tx, parent_id);
  if (parent === undefined && forked_from_private && present === 'private')
    throw invalid('Repository', 'visibility', 'invalid', 'A fork of a private repository stays private when that is deleted');
  if (parent === undefined || parent.visibility === visibility) return;
  const reason = present === 'public' ? "Public forks can't be made private" : 'A fork is as visible as its parent';
  throw invalid('Repository', 'visibility', 'invalid', reason);
}

/** Refuses a name that is taken, and redirects the old name to the repository until another repository takes that name. */
async function prepareRename(scope: WriteScope, repo: Repo, name: string, now: Date): Promise<void> {
  const taken = await findOwned(scope.tx, repo.owner_id, name);
  if (taken && taken.id !== repo.id) throw nameTaken();
  await removeRedirect(scope.tx, repo.owner.login, name);
  if (name.toLowerCase() !== repo.name.toLowerCase()) await putRedirect(scope.tx, repo.owner.login, repo.name, repo.id, now);
}
