// What protects branches and tags. Who is named and has no account or team here is left out: lists only get shorter.
import { grouped } from '#lib/collections.ts';
import type { RepositoryId } from '#lib/id.ts';
import { type Actor, insertProtection, protectionSwitches, setActors } from '#resources/code/branch-protection/index.ts';
import { type BypassActor, importRuleset } from '#resources/code/rulesets/index.ts';
import type { Address } from '../archive/format.ts';
import type { ProtectedBranchRecord, RulesetRecord } from '../archive/protection-format.ts';
import { idOf } from './accounts.ts';
import { type Context, eachPage } from './context.ts';
import { hasPages } from './pages.ts';

/** Inserts the protected branches and the rulesets of repositories. An archive of an older server has no page of rulesets. */
export async function importProtection(context: Context): Promise<void> {
  const { scope, repositories } = context;
  await eachPage(context, 'protected_branches', async (page) => {
    for (const one of page) {
      const target = repositories.get(one.repository);
      if (target) await importProtectedBranch(context, target.row.id, one);
    }
  });
  if (!hasPages(context.pages, 'rulesets')) return;
  await eachPage(context, 'rulesets', async (page) => {
    for (const one of page) {
      const target = repositories.get(one.repository);
      if (!target) continue;
      const { name, target: refs, enforcement, conditions, rules } = one;
      const bypass_actors = bypassActorsOf(context, one, target.owner.kind === 'organization');
      await importRuleset(scope, target.row.id, { name, target: refs, enforcement, conditions, rules, bypass_actors }, scope.now);
    }
  });
}

async function importProtectedBranch(context: Context, repository_id: RepositoryId, one: ProtectedBranchRecord): Promise<void> {
  const { tx, now } = context.scope;
  const { status_checks, reviews } = one;
  const switches = Object.fromEntries(protectionSwitches.map((name) => [name, one[name]])) as Pick<
    ProtectedBranchRecord,
    (typeof protectionSwitches)[number]
  >; // one value for each name
  const id = await insertProtection(
    tx,
    { repository_id, branch: one.name, now },
    {
      ...switches,
      status_checks: status_checks && {
        strict: status_checks.strict,
        checks: status_checks.contexts.map((context) => ({ context, app_id: null })),
      },
      reviews,
    },
  );
  const actors = one.actors.flatMap(({ list, actor }) => {
    const found = actorAt(context, actor);
    return found ? [{ list, ...found }] : [];
  });
  await setActors(tx, id, Object.fromEntries(grouped(actors, ({ list }) => list)));
}

/** The person or team that an address names here. */
function actorAt({ accounts, teams }: Context, address: Address): Actor | undefined {
  const none = { user_id: null, team_id: null, app_id: null };
  const team = teams.get(address);
  if (team) return { ...none, team_id: team.id };
  const user_id = idOf(accounts, address);
  return user_id === null ? undefined : { ...none, user_id };
}

function bypassActorsOf(context: Context, { bypass_actors }: RulesetRecord, isOrganization: boolean): BypassActor[] {
  return bypass_actors.flatMap(({ type, mode, actor, role_id }): BypassActor[] => {
    const named = (actor_id: number | null): BypassActor[] => [{ actor_type: type, actor_id, bypass_mode: mode }];
    if (type === 'DeployKey') return named(null);
    if (type === 'OrganizationAdmin') return isOrganization ? named(1) : [];
    if (type === 'RepositoryRole') return role_id === undefined ? [] : named(role_id);
    const found = actor === undefined ? undefined : actorAt(context, actor);
    if (type === 'Team') return isOrganization && found?.team_id ? named(found.team_id) : [];
    return type === 'User' && found?.user_id ? named(found.user_id) : [];
  });
}
