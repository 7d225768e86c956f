import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { askAll, askAs, askForMeaning } from './asking.ts';
import { type Command, pick, type Real, which } from './command.ts';
import { accounts, fullName, type Kind, kinds, type Model, type Qualifier, type Question } from './model.ts';
import { labels, reasons } from './on-issues.ts';

/** Questions, to be asked when the indexes know everything. */

type Wish = {
  kind: Kind;
  word: number;
  perPage: number;
  scope: { name: string; which: number; negated: boolean } | undefined;
  other: Qualifier | undefined;
};

const choices = (name: string, ...values: string[]): Qualifier[] => values.map((value) => ({ name, value }));
const ofAll = choices('is', 'private', 'public');
const ofFiles = [...choices('fork', 'true', 'only'), ...choices('archived', 'true', 'false')];

/** The qualifiers of each search that say which repositories or what in them. */
const others: Record<Kind, Qualifier[]> = {
  code: [...ofAll, ...ofFiles, ...choices('in', 'file', 'path')],
  commits: ofAll,
  issues: [
    ...ofAll,
    ...choices('archived', 'true', 'false'),
    ...choices('in', 'title', 'body', 'comments'),
    ...choices('is', 'open', 'closed'),
    ...choices('reason', ...reasons, 'reopened'),
    ...choices('label', ...labels),
    ...choices('no', 'label'),
    ...choices('comments', '>0'),
  ],
  repositories: [...ofAll, ...ofFiles, ...choices('in', 'name', 'description', 'topics', 'readme')],
};

const wish: fc.Arbitrary<Wish> = fc.constantFrom(...kinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    word: fc.nat(5),
    perPage: fc.constantFrom(100, 2),
    scope: fc.option(fc.record({ name: fc.constantFrom('repo', 'repo', 'user', 'org'), which, negated: fc.boolean() }), {
      nil: undefined,
    }),
    other: fc.option(fc.constantFrom(...others[kind]), { nil: undefined }),
  }),
);

/** One of the words, or two of them that may follow one another in a text. */
function wordAt({ words: [pump = '', valve = '', crank = ''] }: Model, at: number): string {
  return [pump, valve, crank, `${pump} ${valve}`, `${valve} ${crank}`, `${pump} ${crank}`][at] ?? '';
}

/** The question that a wish is in a state of the model: `repo:` names a repository that is there, or one that isn't. */
function questionOf(model: Model, { kind, word, perPage, scope, other }: Wish): Question {
  const names = {
    repo: [...model.repositories.map((one) => fullName(model, one)), `${model.logins.acme}/absent`],
    account: accounts.map((account) => model.logins[account]),
  };
  const value = scope && pick(scope.name === 'repo' ? names.repo : names.account, scope.which);
  return {
    kind,
    words: [wordAt(model, word)],
    perPage,
    qualifiers: [
      ...(scope && value !== undefined ? [{ name: scope.name, value, negated: scope.negated }] : []),
      ...(other ? [other] : []),
    ],
  };
}

/** Lets the jobs run: from now on, the indexes know everything. */
async function settle({ jobs, world }: Real, model: Model): Promise<void> {
  await jobs;
  await world.settle();
  const failed = await sql`select task_identifier, last_error from jobs.jobs
    where last_error is not null and task_identifier ~ 'index|embed'`.execute(world.db);
  expect(failed.rows, 'jobs that failed').toEqual([]);
  model.settled = true;
}

const askFor = async ({ clients }: Real, model: Model, word: string): Promise<void> => {
  for (const kind of kinds) await askAll(clients, model, { kind, words: [word], qualifiers: [] });
};

/** Asks for each word in every search, and as the owner, who sees everything, with each of the qualifiers. */
export async function lookForAll(real: Real, model: Model): Promise<void> {
  await settle(real, model);
  for (const word of model.words) await askFor(real, model, word);
  for (const kind of kinds)
    for (const other of others[kind])
      await askAs('owner', real.clients, model, { kind, words: model.words, qualifiers: [other] });
}

/** Asks for a word or a phrase in every search, and some questions with qualifiers. */
export const looking: fc.Arbitrary<Command> = fc
  .record({ word: fc.nat(5), wishes: fc.array(wish, { minLength: 2, maxLength: 6 }) })
  .map(({ word, wishes }) => ({
    async run(model, real) {
      await settle(real, model);
      await askFor(real, model, wordAt(model, word));
      for (const one of wishes) {
        const question = questionOf(model, one);
        await askAll(real.clients, model, question);
        if (one.kind === 'issues') await askForMeaning(real.clients, model, question, one.word % 2 === 0 ? 'semantic' : 'hybrid');
      }
    },
    toString: () => `look for word ${word}, and ask ${wishes.length} questions`,
  }));

/** Lets jobs run beside the commands that follow. */
export const working: fc.Arbitrary<Command> = fc.constant({
  async run(model, real) {
    if (model.settled) return;
    real.jobs = Promise.all([real.jobs, real.world.settle()]);
    // Whoever looks next awaits it, and hears of its failure.
    real.jobs.catch(() => undefined);
  },
  toString: () => 'let jobs run meanwhile',
});
