// The deletion of an organization deletes all of its repositories, so rules about deletion are evaluated for each of them.
import type { OrganizationAction } from '#access/action.ts';
import { RecordedRefusal } from '#endpoint/recorded-refusal.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { periodicYield } from '#lib/turns.ts';
import { insertRepositorySuites, type RepositorySuite, refusalMessage, resultOf } from '#resources/code/ref-rules/index.ts';
import { listRepositoryFacts, loadRepositoryRulesets } from '#resources/code/rulesets/index.ts';
import { approvalWith, type RuleApproval } from '#resources/repositories/repositories/index.ts';
import { evaluateAll, loadFacts } from './evaluate.ts';

/** The number of refused repositories that are recorded, and named in the message. */
const maxRecorded = 100;
const maxNamed = 5;

/**
 * Evaluates the rules of an organization about the deletion of its repositories, whatever their number in three statements.
 * Results are recorded only if the organization stays.
 * @throws RecordedRefusal if a rule refuses to delete a repository
 */
export async function evaluateOrganizationDeletion(scope: WriteScope, { org, by }: OrganizationAction): Promise<RuleApproval> {
  const anyRepository = { name: '', visibility: 'private', fork: false, language: null };
  const rulesets = await loadRepositoryRulesets(scope.db, org.id, anyRepository);
  const isAboutDeletion = rulesets.some(({ repositoryRules }) =>
    repositoryRules.some(({ type }) => type === 'repository_delete'),
  );
  const approval = approvalWith(async () => undefined);
  if (!isAboutDeletion) return approval;
  const [actor, repositories] = await Promise.all([
    loadFacts(scope, by, org, org.role === 'owner' ? 'admin' : undefined),
    listRepositoryFacts(scope.db, org.id),
  ]);
  const refused: Omit<RepositorySuite, 'at'>[] = [];
  const yieldNow = periodicYield();
  for (const before of repositories) {
    const evaluations = evaluateAll(rulesets, actor, 'delete', { before });
    await yieldNow();
    if (resultOf(evaluations) !== 'fail') continue;
    const { id: subject, name } = before;
    const suite = { organization: org.id, subject, name, change: 'delete', actor: by.account.id, result: 'fail' } as const;
    refused.push({ ...suite, evaluations });
  }
  if (refused.length === 0) return approval;
  throw new RecordedRefusal('forbidden', messageOf(org.login, refused), (scope) =>
    insertRepositorySuites(
      scope.tx,
      refused.slice(0, maxRecorded).map((suite) => ({ ...suite, at: scope.now })),
    ),
  );
}

function messageOf(login: string, refused: readonly Omit<RepositorySuite, 'at'>[]): string {
  const named = refused.slice(0, maxNamed).map(({ name, evaluations }) => refusalMessage(`${login}/${name}`, evaluations));
  const more = refused.length - named.length;
  return [...named, ...(more > 0 ? [`Rules refuse the deletion of ${more} more repositories.`] : [])].join('\n\n');
}
