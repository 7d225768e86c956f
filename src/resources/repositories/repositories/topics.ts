import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { invalid } from '#lib/refusal.ts';
import { updateRepository } from './store.ts';

/**
 * The public API's limits: 20 topics, each at most 50 lower-case letters, digits and hyphens, beginning with a letter or digit.
 */
const topicPattern = /^[a-z0-9][a-z0-9-]{0,49}$/;
const maxTopics = 20;

export async function replaceTopics(scope: WriteScope, action: RepositoryAction, names: readonly string[]): Promise<string[]> {
  const { repo, now } = action;
  const topics = [...new Set(names.map((name) => name.toLowerCase()))];
  if (topics.length > maxTopics)
    throw invalid('Repository', 'names', 'invalid', `A repository can have at most ${maxTopics} topics`);
  if (!topics.every((topic) => topicPattern.test(topic))) {
    throw invalid(
      'Repository',
      'names',
      'invalid',
      'Topics must start with a lowercase letter or number, and hold only those and hyphens, 50 at most',
    );
  }
  const row = await updateRepository(scope.tx, repo.id, { topics, updated_at: now });
  const data = { changes: ['topics'], from: { topics: repo.topics } };
  await record(scope.tx, { ...inRepository(action), kind: 'repository.updated', data });
  return row.topics;
}
