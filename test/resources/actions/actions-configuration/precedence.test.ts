// Which secrets and variables a job gets, whatever an organization, its repositories and their environments have.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RepositoryRow } from '#access/viewer.ts';
import { loadSecretsForJob } from '#resources/actions/actions-secrets/index.ts';
import { sealValue } from '#resources/actions/actions-secrets/values.ts';
import { loadVariablesForJob } from '#resources/actions/actions-variables/index.ts';
import { loadBotSecretsForJob } from '#resources/actions/dependency-bot-secrets/index.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();
const { secrets } = w.hearth.services;
const now = new Date('2026-01-01T00:00:00Z');

const owner = await w.user();
const [org, otherOrg] = [await w.org(owner), await w.org(owner)];
const open = await w.repo(org, { visibility: 'public', by: owner });
const repositories: RepositoryRow[] = [
  open,
  await w.repo(org, { visibility: 'private', by: owner }),
  await w.repo(org, { visibility: 'internal', by: owner }),
  await w.repo(otherOrg, { visibility: 'private', by: owner }),
  await w.repo(owner, { visibility: 'private' }),
];
const environments = await Promise.all(
  [...repositories, ...repositories.slice(1, 2)].map(async ({ id: repository_id }) => {
    const row = { repository_id, name: fresh('environment'), deploys: 'all' as const, created_at: now, updated_at: now };
    const { id } = await w.db.insertInto('environments').values(row).returning('id').executeTakeFirstOrThrow();
    return { id, repository: repository_id };
  }),
);

/** A secret or variable: what it belongs to, its name, and for those of organizations which repositories may use it. */
type Given = {
  holder: Holder;
  name: string;
  mode: 'all' | 'private' | 'selected';
  selected: readonly RepositoryRow[];
};

const holder = fc.constantFrom<Holder>(
  ...[org, otherOrg].map(({ id }) => ({ column: 'organization_id' as const, id })),
  ...repositories.map(({ id }) => ({ column: 'repository_id' as const, id })),
  ...environments.map(({ id }) => ({ column: 'environment_id' as const, id })),
);
const given: fc.Arbitrary<Given[]> = fc.uniqueArray(
  fc.record({
    holder,
    name: fc.constantFrom('A', 'B', 'C_1', 'C1', '_D'),
    mode: fc.constantFrom('all', 'private', 'selected'),
    selected: fc.subarray(repositories),
  }),
  { selector: (one) => `${one.holder.column} ${one.holder.id} ${one.name}`, maxLength: 40 },
);

const textOf = (one: Given): string => `${one.holder.column} ${one.holder.id} ${one.name}`;

/** The value of the dependency bot's secret, which every owner but environments has beside its own for workflows. */
const ofBot = (text: string): string => `bot: ${text}`;

async function store(all: readonly Given[]): Promise<void> {
  for (const table of ['actions_secrets', 'actions_variables', 'repository_selections'] as const)
    await w.db.deleteFrom(table).execute();
  for (const one of all) {
    const { column, id } = one.holder;
    const selection = async () => {
      if (column !== 'organization_id') return null;
      const row = { organization_id: id, mode: one.mode };
      const made = await w.db.insertInto('repository_selections').values(row).returning('id').executeTakeFirstOrThrow();
      const rows = one.selected.map(({ id: repository_id }) => ({ selection_id: made.id, repository_id }));
      if (one.mode === 'selected' && rows.length > 0) await w.db.insertInto('selected_repositories').values(rows).execute();
      return made.id;
    };
    const row = { [column]: id, name: one.name, created_at: now, updated_at: now };
    for (const name of column === 'environment_id' ? (['actions'] as const) : (['actions', 'dependency_bot'] as const)) {
      const text = name === 'actions' ? textOf(one) : ofBot(textOf(one));
      const value = sealValue(secrets, { store: name, holder: one.holder, name: one.name }, Buffer.from(text));
      const values = { ...row, store: name, value, selection_id: await selection() };
      await w.db.insertInto('actions_secrets').values(values).execute();
    }
    await w.db
      .insertInto('actions_variables')
      .values({ ...row, value: textOf(one), selection_id: await selection() })
      .execute();
  }
}

type Job = { repo: RepositoryRow; environment: (typeof environments)[number] | undefined };

/** What a job must get, as the rules are written. */
function expected(all: readonly Given[], { repo, environment }: Job): Record<string, string> {
  const mayUse = (one: Given): boolean =>
    one.mode === 'all' || (one.mode === 'private' ? repo.visibility !== 'public' : one.selected.includes(repo));
  const own = environment?.repository === repo.id ? environment?.id : undefined;
  const levels = [
    all.filter((one) => one.holder.column === 'organization_id' && one.holder.id === repo.owner_id && mayUse(one)),
    all.filter((one) => one.holder.column === 'repository_id' && one.holder.id === repo.id),
    all.filter((one) => one.holder.column === 'environment_id' && one.holder.id === own),
  ];
  return Object.fromEntries(levels.flat().map((one) => [one.name, textOf(one)]));
}

test('an environment’s hides a repository’s, and that the organization’s, as far as the repository may use it', async () => {
  const jobs: Job[] = repositories.flatMap((repo) => [undefined, ...environments].map((environment) => ({ repo, environment })));
  await fc.assert(
    fc.asyncProperty(given, async (all) => {
      await store(all);
      for (const job of jobs) {
        const place = { repository: job.repo.id, environment: job.environment?.id };
        expect(Object.fromEntries(await loadSecretsForJob(w.db, secrets, place))).toEqual(expected(all, job));
        const bots = await loadBotSecretsForJob(w.db, secrets, job.repo.id);
        const expectedBots = Object.entries(expected(all, { ...job, environment: undefined }));
        expect(Object.fromEntries(bots)).toEqual(Object.fromEntries(expectedBots.map(([name, text]) => [name, ofBot(text)])));
        expect(Object.fromEntries(await loadVariablesForJob(w.db, place))).toEqual(expected(all, job));
      }
    }),
    { numRuns: 15 },
  );
});

test('of its organization, a job gets the first 100 secrets by name', async () => {
  await store(
    Array.from({ length: 103 }, (_, at) => ({
      holder: { column: 'organization_id', id: org.id },
      name: `S${String(at).padStart(3, '0')}`,
      mode: at === 50 ? 'private' : 'all',
      selected: [],
    })),
  );
  const names = [...(await loadSecretsForJob(w.db, secrets, { repository: open.id })).keys()];
  expect(names).toHaveLength(100);
  expect(names).not.toContain('S050');
  expect(names.at(-1)).toBe('S100');
});
