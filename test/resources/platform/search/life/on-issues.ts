import fc from 'fast-check';
import { command, must, pathOf, pick, pickRepository, type Real, text, which, write } from './command.ts';
import type { Issue, Model, Repository } from './model.ts';

/** Issues with their comments and labels. */

export const labels = ['bug', 'flaw'] as const;
const label = fc.constantFrom(...labels);
export const reasons = ['completed', 'not_planned'] as const;
const reason = fc.constantFrom(...reasons);

const pickHolder = (model: Model, number: number, may: (repository: Repository) => boolean = () => true) =>
  pickRepository(model, number, (one) => one.hasIssues && may(one));

/** One of the issues of all repositories where issues may be changed, with its address. */
function pickIssue(model: Model, number: number, may: (issue: Issue) => boolean = () => true) {
  const all = model.repositories
    .filter(({ archived, hasIssues }) => !archived && hasIssues)
    .flatMap((repository) =>
      repository.issues.map((issue, at) => {
        const issues = `${pathOf(model, repository)}/issues`;
        return { repository, issue, issues, path: `${issues}/${at + 1}` };
      }),
    );
  return pick(
    all.filter(({ issue }) => may(issue)),
    number,
  );
}

const hasComments = ({ comments }: Issue): boolean => comments.length > 0;

/** Opens an issue with the label `bug`, if there is one. */
export async function open({ clients }: Real, model: Model, repository: Repository, said: Said): Promise<Issue> {
  const own = ['bug'].filter((name) => repository.labels.has(name));
  await must(201, clients.owner.post(`${pathOf(model, repository)}/issues`, { ...said, labels: own }));
  const issue = { ...said, comments: [], open: true, reason: undefined, labels: new Set(own) };
  repository.issues.push(issue);
  return issue;
}

type Said = Pick<Issue, 'title' | 'body'>;

export const onIssues = [
  command('open an issue', 'indexes', fc.record({ which, text, body: text }), (model, given) => {
    const repository = pickHolder(model, given.which);
    if (!repository) return undefined;
    const said = { title: write(model, given.text), body: write(model, given.body) };
    return async (real) => void (await open(real, model, repository, said));
  }),

  command('edit an issue', 'indexes', fc.record({ which, text, body: text }), (model, given) => {
    const found = pickIssue(model, given.which);
    const change = { title: write(model, given.text), body: write(model, given.body) };
    return (
      found &&
      (async ({ clients }) => {
        await must(200, clients.owner.patch(found.path, change));
        Object.assign(found.issue, change);
      })
    );
  }),

  command('close an issue, for another reason too', 'indexes', fc.record({ which, reason }), (model, given) => {
    const found = pickIssue(model, given.which);
    return (
      found &&
      (async ({ clients }) => {
        await must(200, clients.owner.patch(found.path, { state: 'closed', state_reason: given.reason }));
        Object.assign(found.issue, { open: false, reason: given.reason });
      })
    );
  }),

  command('reopen an issue', 'indexes', fc.record({ which }), (model, given) => {
    const found = pickIssue(model, given.which, ({ open }) => !open);
    return (
      found &&
      (async ({ clients }) => {
        await must(200, clients.owner.patch(found.path, { state: 'open' }));
        Object.assign(found.issue, { open: true, reason: 'reopened' });
      })
    );
  }),

  command('label an issue', 'indexes', fc.record({ which, label }), (model, given) => {
    const found = pickIssue(model, given.which);
    if (!found?.repository.labels.has(given.label)) return undefined;
    return async ({ clients }) => {
      await must(200, clients.owner.post(`${found.path}/labels`, { labels: [given.label] }));
      found.issue.labels.add(given.label);
    };
  }),

  command('create or delete a label', 'indexes', fc.record({ which, label }), (model, given) => {
    const repository = pickHolder(model, given.which);
    if (!repository) return undefined;
    const path = `${pathOf(model, repository)}/labels`;
    return async ({ clients }) => {
      if (repository.labels.delete(given.label)) {
        await must(204, clients.owner.delete(`${path}/${given.label}`));
        for (const issue of repository.issues) issue.labels.delete(given.label);
      } else {
        await must(201, clients.owner.post(path, { name: given.label }));
        repository.labels.add(given.label);
      }
    };
  }),

  command('rename a label', 'indexes', fc.record({ which, label }), (model, given) => {
    const to = labels.find((name) => name !== given.label) ?? '';
    const repository = pickHolder(model, given.which, (one) => one.labels.has(given.label) && !one.labels.has(to));
    if (!repository) return undefined;
    return async ({ clients }) => {
      await must(200, clients.owner.patch(`${pathOf(model, repository)}/labels/${given.label}`, { new_name: to }));
      for (const holder of [repository, ...repository.issues]) if (holder.labels.delete(given.label)) holder.labels.add(to);
    };
  }),

  command('comment', 'indexes', fc.record({ which, text }), (model, given) => {
    const found = pickIssue(model, given.which);
    const body = write(model, given.text);
    return (
      found &&
      (async ({ clients }) => {
        const { id } = await must(201, clients.owner.post(`${found.path}/comments`, { body }));
        found.issue.comments.push({ id, body });
      })
    );
  }),

  command('edit a comment', 'indexes', fc.record({ which, comment: which, text }), (model, given) => {
    const found = pickIssue(model, given.which, hasComments);
    const comment = found && pick(found.issue.comments, given.comment);
    const body = write(model, given.text);
    if (!comment) return undefined;
    return async ({ clients }) => {
      await must(200, clients.owner.patch(`${found.issues}/comments/${comment.id}`, { body }));
      comment.body = body;
    };
  }),

  command('delete a comment', 'indexes', fc.record({ which, comment: which }), (model, given) => {
    const found = pickIssue(model, given.which, hasComments);
    const comment = found && pick(found.issue.comments, given.comment);
    if (!comment) return undefined;
    return async ({ clients }) => {
      await must(204, clients.owner.delete(`${found.issues}/comments/${comment.id}`));
      found.issue.comments.splice(found.issue.comments.indexOf(comment), 1);
    };
  }),
];
