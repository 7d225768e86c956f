import fc from 'fast-check';
import { test } from 'vitest';
import { setTeamMember } from '#resources/identity/teams/index.ts';
import { newRepo } from '#test/git/support.ts';
import { team } from '#test/resources/identity/teams/setting.ts';
import { fresh, world } from '#test/support/world.ts';
import type { Real } from './command.ts';
import { lookForAll, looking, working } from './looking.ts';
import type { Model } from './model.ts';
import { onAccess } from './on-access.ts';
import { onFiles, push } from './on-files.ts';
import { onIssues, open } from './on-issues.ts';
import { create, onRepositories } from './on-repositories.ts';

// On a busy machine too, no search shall give up: what an unfinished one finds can't be foretold.
const w = await world({ embeddings: { provider: 'builtin' } });

/** People, organizations and words that no other run has, and two repositories to begin with. */
async function begin(gitRepository: Real['gitRepository']): Promise<{ model: Model; real: Real }> {
  const [ada, member, mate, guest] = [await w.user(), await w.user(), await w.user(), await w.user()];
  const [acme, other] = [await w.org(ada), await w.org(ada)];
  for (const user of [member, mate]) await w.member(acme, user);
  const crew = await team(w, acme);
  await w.change((scope) => setTeamMember(scope, { team: crew, by: ada.id, now: w.clock.now, user: mate, role: 'member' }));
  const run = letters(Number(fresh('run').split('-').at(-1)));
  const token = await w.token(ada);
  const clients = {
    owner: await w.as(token),
    member: await w.as(member),
    mate: await w.as(mate),
    guest: await w.as(guest),
    robot: await w.as(await w.fineGrained(ada, acme, { contents: 'read', issues: 'read', metadata: 'read' })),
    nobody: await w.as(undefined),
  };
  const real: Real = { world: w, clients, people: { ada, member, guest }, crew, gitRepository, token, jobs: Promise.resolve() };
  const model: Model = {
    logins: { acme: acme.login, other: other.login, ada: ada.login },
    words: ['pump', 'valve', 'crank'].map((word) => `${word}${run}`),
    repositories: [],
    commits: new Map(),
    isMember: true,
    membersRead: true,
    settled: false,
  };
  return { model, real };
}

/** A number, written in letters: analysed as text, it has no parts. */
const letters = (number: number): string => [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

async function furnish({ model, real }: { model: Model; real: Real }): Promise<void> {
  const [first = '', second = ''] = model.words;
  const engine = await create(real, model, { owner: 'acme', name: first, visibility: 'private', description: `The ${first}` });
  const notes = await create(real, model, { owner: 'ada', name: second, visibility: 'public', description: 'Notes' });
  const edits = [
    { put: 0, text: [0] },
    { put: 1, text: [1, 2] },
  ];
  for (const repository of [engine, notes]) {
    await push(real, model, repository, { branch: 'main', edits, message: `On ${second}` });
    await open(real, model, repository, { title: `Why ${first}?`, body: `The ${second}` });
  }
}

const happenings = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(...onFiles) },
  { weight: 9, arbitrary: fc.oneof(...onRepositories) },
  { weight: 3, arbitrary: fc.oneof(...onAccess) },
  { weight: 6, arbitrary: fc.oneof(...onIssues) },
  { weight: 3, arbitrary: looking },
  { weight: 2, arbitrary: working },
);

/** By hand: HEARTH_LIFE='{"numRuns": 300}', or what a failure prints: '{"seed": 7, "path": "12"}'. */
const settings: { numRuns?: number; seed?: number; path?: string; endOnFailure?: boolean } = JSON.parse(
  process.env.HEARTH_LIFE ?? '{}',
);

test('search tells the truth, whatever happens to repositories', {
  timeout: settings.numRuns ? 7_200_000 : 240_000,
}, async () => {
  const gitRepository = await newRepo();
  const life = fc.asyncProperty(fc.array(happenings, { minLength: 15, maxLength: 24 }), async (commands) => {
    const { model, real } = await begin(gitRepository);
    try {
      await furnish({ model, real });
      for (const command of commands) await command.run(model, real);
      await lookForAll(real, model);
    } finally {
      await Promise.allSettled([real.jobs]);
    }
  });
  await fc.assert(life, { numRuns: 2, endOnFailure: true, unbiased: true, ...settings });
});
