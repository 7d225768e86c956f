// The protection of a repository's branches.

import { pagePath } from '#console/components/address.ts';
import { emptyState } from '#console/components/lists.ts';
import { inRepositorySettings } from '#console/frames/settings.ts';
import { type Found, page, read } from '#console/page.ts';
import { html } from '#html/template.ts';
import { listBranchProtections } from '#resources/code/branch-protection/endpoints/list.ts';

const reads = () => ({ protections: read(listBranchProtections) });
type Protection = Found<ReturnType<typeof reads>>['protections'][number];

const namesOf = ({ users, teams, apps }: Protection['actors']['push']): string =>
  [...users, ...teams, ...apps].join(', ') || 'nobody';

const latest = ', with the latest commit of the branch';

/** What a protection demands, each in a sentence. */
function sentencesOf({ switches, required_reviews: reviews, required_status_checks: checks, actors }: Protection): string[] {
  const count = reviews?.required_approving_review_count ?? 0;
  const sentences: (string | false | null | undefined)[] = [
    reviews && `Changes need a pull request${count > 0 ? ` with ${count} approving ${count === 1 ? 'review' : 'reviews'}` : ''}.`,
    reviews?.require_code_owner_reviews && 'Code owners must review it.',
    reviews?.require_last_push_approval && 'Somebody else than who pushed last must approve it.',
    reviews?.dismiss_stale_reviews && 'Pushes dismiss earlier approvals.',
    reviews?.restricts_dismissals && `These may dismiss reviews: ${namesOf(actors.dismissal)}.`,
    checks && `These checks must succeed${checks.strict ? latest : ''}: ${checks.contexts.join(', ') || 'none'}.`,
    switches.required_conversation_resolution && 'All conversations must be resolved.',
    switches.required_signatures && 'Commits need verified signatures.',
    switches.required_linear_history && 'Its history has no merge commits.',
    switches.restricts_pushes && `These may push: ${namesOf(actors.push)}.`,
    switches.block_creations && 'The same holds for creating it.',
    switches.lock_branch && `It is locked: nobody may push${switches.allow_fork_syncing ? ', but forks are synchronized' : ''}.`,
    switches.allow_force_pushes ? 'Force pushes are allowed.' : 'Nobody may force a push.',
    switches.allow_deletions ? 'It may be deleted.' : 'Nobody may delete it.',
    switches.enforce_admins ? 'It applies to administrators too.' : 'It doesn’t apply to administrators.',
  ];
  return sentences.filter((sentence): sentence is string => typeof sentence === 'string');
}

export const branchesPage = page({
  path: '/{owner}/{repo}/settings/branches',
  frame: inRepositorySettings('settings/branches'),
  reads,
  render: ({ repository, protections }) => ({
    title: `Branch protection · ${repository.full_name}`,
    body: html`<h1>Branch protection</h1>
<p class="soft">The default branch is <code>${repository.default_branch}</code>. Rules for several
branches at once are <a href="${pagePath(repository.full_name, 'rules')}">rulesets</a>.</p>${
      protections.length === 0
        ? emptyState({
            icon: 'shield',
            title: 'Protected branches will be listed here, with what changes to them need.',
            hint: html`Protect one with <code>PUT …/branches/${repository.default_branch}/protection</code>.`,
          })
        : protections.map(
            (protection) =>
              html`<section class="panel"><header><h2><code>${protection.branch}</code></h2></header>
<ul class="rows">${sentencesOf(protection).map((sentence) => html`<li>${sentence}</li>`)}</ul></section>`,
          )
    }`,
  }),
});
