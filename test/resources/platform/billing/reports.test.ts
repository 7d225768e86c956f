// Random usage: each report and each budget is the sum of what was used, which the test adds up by itself.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { asId } from '#lib/id.ts';
import { addAssistantUsage } from '#resources/platform/billing/index.ts';
import { ciPath, pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startRunnerOf, type TestRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';
import { passMinutes } from './setting.ts';

const w = await world();
w.clock.now = new Date('2026-11-20T22:40:00Z');

const workflow = `on:
  workflow_dispatch:
    inputs:
      system:
        required: true
jobs:
  build:
    runs-on: \${{ inputs.system }}
    steps:
      - run: make
`;

/** What was used, in the smallest parts of a unit. */
type Use = {
  org: number;
  at: Date;
  repo: number | undefined;
  user: number | undefined;
  sku: string;
  price: number;
  parts: number;
  /** Of usage of the assistant. */
  model?: string;
};
type Repo = {
  id: number;
  org: Account;
  name: string;
  /** Whether it has ever been transferred, which ends its budgets. */
  moved: boolean;
  run: number | undefined;
  artifacts: number;
  caches: number;
};

const units: Readonly<Record<string, number>> = {
  actions_storage: 2 ** 30,
  actions_cache_storage: 2 ** 30,
  assistant_ai_credit: 1_000,
};
const unitOf = (sku: string): number => units[sku] ?? 1;
const productOf = (sku: string): string => sku.split('_', 1)[0] ?? '';
const skuOfSystem = {
  'ubuntu-latest': 'actions_self_hosted_linux',
  'windows-latest': 'actions_self_hosted_windows',
  hosted: 'actions_linux_4_core',
} as const;
const assistantSkus = ['assistant_premium_request', 'assistant_ai_credit'] as const;
const skus = [...Object.values(skuOfSystem), 'actions_storage', 'actions_cache_storage', ...assistantSkus];
const prices = w.hearth.services.prices as Map<string, number>;

const which = fc.nat({ max: 5 });
const size = fc.integer({ min: 1, max: 2 ** 33 });
const system = fc.constantFrom(...(['ubuntu-latest', 'windows-latest', 'hosted'] as const));
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('job'),
      repo: which,
      user: which,
      system,
      minutes: fc.integer({ min: 1, max: 5_400 }).map((seconds) => seconds / 60),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('rerun'), repo: which, user: which, minutes: fc.constant(61) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('artifact', 'cache'), repo: which, size }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('rename', 'transfer', 'delete', 'create', 'empty'), repo: which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('assist'),
      repo: which,
      user: which,
      sku: fc.constantFrom(...assistantSkus),
      model: fc.constantFrom('one', 'two'),
      isInRepo: fc.boolean(),
      parts: fc.integer({ min: 1, max: 10 ** 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('price'),
      sku: fc.constantFrom(...skus),
      price: fc.constantFrom(0, 0.004, 0.012, 2),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('hours'), hours: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('days'), days: fc.constantFrom(1, 3, 20, 40) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Two organizations with three people who may do everything in both, and the uses of them. */
async function usedWorld() {
  const users = [await w.user(), await w.user(), await w.user()] as const;
  const [owner] = users;
  const orgs = [await w.org(owner), await w.org(owner)] as const;
  const runners = new Map<string, TestRunner>();
  const hosted = new Map<number, number>();
  for (const org of orgs) {
    for (const user of users.slice(1)) await w.member(org, user, 'owner');
    for (const label of ['ubuntu-latest', 'windows-latest'])
      runners.set(
        `${org.id} ${label}`,
        await startRunnerOf(w, { organization: org.id }, { name: fresh('runner'), labels: [label] }),
      );
    const { rows } = await sql<{ id: number }>`
      insert into hosted_runners (organization_id, runner_group_id, name, status, platform, image_source, image_id, image_name,
        image_size_gb, size_id, cpu_cores, memory_gb, storage_gb, maximum_runners, static_ip, image_gen, created_at, updated_at)
      select ${org.id}, min(id), 'big', 'Ready', 'linux-x64', 'service', 'ubuntu', 'Ubuntu', 1, '4-core', 4, 16, 150, 1, false,
        false, ${w.clock.now}, ${w.clock.now} from runner_groups where organization_id = ${org.id} returning id`.execute(w.db);
    hosted.set(org.id, rows[0]?.id ?? 0);
  }
  const client = await w.as(owner);
  const clients = await Promise.all(users.map((user) => w.as(user)));
  const uses: Use[] = [];
  const repos: Repo[] = [];
  /** By organization and repository, the last name there. */
  const names = new Map<string, string>();
  const named = (repo: Repo): string => {
    names.set(`${repo.org.id} ${repo.id}`, repo.name);
    return `/repos/${repo.org.login}/${repo.name}`;
  };
  const use = (one: Omit<Use, 'price' | 'at'>, at = w.clock.now): void => {
    uses.push({ ...one, at, price: prices.get(one.sku) ?? 0 });
  };
  const addRepo = async (org: Account, name: string): Promise<void> => {
    const repo = await w.repo(org, { by: owner, name, visibility: 'private' });
    await pushWorkflow(w, repo, { [ciPath]: workflow });
    repos.push({ id: repo.id, org, name, moved: false, run: undefined, artifacts: 0, caches: 0 });
  };
  /** Runs the waiting job of a repository for some minutes. */
  const work = async (repo: Repo, user: Account, on: keyof typeof skuOfSystem, minutes: number): Promise<void> => {
    const runner = runners.get(`${repo.org.id} ${on === 'hosted' ? 'ubuntu-latest' : on}`);
    const task = await runner?.fetch();
    if (!runner || !task) throw new Error('No job waits');
    if (on === 'hosted')
      await sql`update workflow_jobs set hosted_runner_id = ${hosted.get(repo.org.id)} where id = ${Number(task.id)}`.execute(
        w.db,
      );
    passMinutes(w, minutes);
    await runner.end(task, 'success');
    await w.settle();
    const parts = Math.max(1, Math.ceil(minutes));
    use({ org: repo.org.id, repo: repo.id, user: user.id, sku: skuOfSystem[on], parts });
  };
  /** The system of the last run of each repository. */
  const systems = new Map<number, keyof typeof skuOfSystem>();
  const count = async (): Promise<void> => {
    await w.change(async (scope) => void (await sql`select jobs.add_job('billing.count-storage', '{}')`.execute(scope.tx)));
    await w.settle();
  };
  const acts = {
    async job(repo: Repo, { user, system: on, minutes }: { user: number; system: keyof typeof skuOfSystem; minutes: number }) {
      const at = user % users.length;
      const inputs = { system: on === 'hosted' ? 'ubuntu-latest' : on };
      await clients[at]?.post(`${named(repo)}/actions/workflows/ci.yml/dispatches`, { ref: 'main', inputs });
      repo.run = (await client.get(`${named(repo)}/actions/runs`)).body.workflow_runs[0].id;
      systems.set(repo.id, on);
      await work(repo, users[at] ?? owner, on, minutes);
    },
    async rerun(repo: Repo, { user, minutes }: { user: number; minutes: number }) {
      const on = systems.get(repo.id);
      if (repo.run === undefined || on === undefined) return;
      const at = user % users.length;
      expect((await clients[at]?.post(`${named(repo)}/actions/runs/${repo.run}/rerun`))?.status).toBe(201);
      await w.settle();
      await work(repo, users[at] ?? owner, on, minutes);
    },
    async cache(repo: Repo, { size }: { size: number }) {
      await sql`insert into caches (repository_id, ref, key, version, object_key, size, digest, created_at, last_accessed_at)
        values (${repo.id}, 'refs/heads/main', ${fresh('key')}, 'v', ${fresh('caches/none')}, ${size}, 'd', ${w.clock.now},
          ${w.clock.now})`.execute(w.db);
      repo.caches += size;
    },
    async artifact(repo: Repo, { size }: { size: number }) {
      if (repo.run === undefined) return;
      await sql`insert into artifacts (repository_id, run_id, attempt, job_id, name, content_type, object_key, size, digest,
          expires_at, created_at, updated_at)
        select repository_id, run_id, attempt, id, ${fresh('artifact')}, 'application/zip', ${fresh('artifacts/none')}, ${size},
          'd', '2999-01-01', ${w.clock.now}, ${w.clock.now} from workflow_jobs where run_id = ${repo.run} limit 1`.execute(w.db);
      repo.artifacts += size;
    },
    async empty(repo: Repo) {
      await sql`delete from caches where repository_id = ${repo.id}`.execute(w.db);
      repo.caches = 0;
    },
    async rename(repo: Repo) {
      const name = fresh('renamed');
      expect((await client.patch(named(repo), { name })).status).toBe(200);
      repo.name = name;
    },
    async transfer(repo: Repo) {
      const to = orgs.find(({ id }) => id !== repo.org.id) ?? orgs[0];
      const new_name = fresh('moved');
      expect((await client.post(`${named(repo)}/transfer`, { new_owner: to.login, new_name })).status).toBe(202);
      await w.settle();
      Object.assign(repo, { org: to, name: new_name, moved: true });
    },
    async delete(repo: Repo) {
      expect((await client.delete(named(repo))).status).toBe(204);
      await w.settle();
      repos.splice(repos.indexOf(repo), 1);
      // Another repository may have its name.
      if (repos.length === 0) await addRepo(repo.org, repo.name);
    },
    async create({ org, name }: Repo) {
      const isFree = !repos.some((one) => one.org.id === org.id && one.name === name);
      if (repos.length < 5) await addRepo(org, isFree ? name : fresh('more'));
    },
    async assist(
      repo: Repo,
      {
        user,
        sku,
        model,
        isInRepo,
        parts,
      }: Pick<Use, 'parts'> & {
        user: number;
        sku: (typeof assistantSkus)[number];
        model: string;
        isInRepo: boolean;
      },
    ) {
      const { id } = users[user % users.length] ?? owner;
      const { org } = repo;
      const repository = isInRepo ? { id: asId<'repositories'>(repo.id), name: repo.name } : undefined;
      const wanted = { organization: org.id, repository, user: id, sku, model, quantity: parts };
      await w.change((scope) => addAssistantUsage(scope, wanted, w.clock.now));
      use({ org: org.id, repo: repository?.id, user: id, sku, parts, model });
    },
  };
  const perform = async (one: Step): Promise<void> => {
    if (one.does === 'price' && 'sku' in one) return void prices.set(one.sku, one.price);
    if (one.does === 'days' && 'days' in one) return passMinutes(w, one.days * 24 * 60);
    if (one.does === 'hours' && 'hours' in one) {
      for (let hour = 0; hour < one.hours; hour++) {
        passMinutes(w, 60);
        await count();
        await count();
        for (const { id, org, artifacts, caches } of repos) {
          if (artifacts > 0) use({ org: org.id, repo: id, user: undefined, sku: 'actions_storage', parts: artifacts });
          if (caches > 0) use({ org: org.id, repo: id, user: undefined, sku: 'actions_cache_storage', parts: caches });
        }
      }
      return;
    }
    const repo = 'repo' in one ? repos[one.repo % repos.length] : undefined;
    const act = acts[one.does as keyof typeof acts] as (repo: Repo, more: Step) => Promise<void>;
    if (repo) await act(repo, one);
    for (const each of repos) named(each);
  };
  for (const org of [orgs[0], orgs[0], orgs[1]]) await addRepo(org, fresh('repo'));
  for (const repo of repos) named(repo);
  return { orgs, users, client, uses, repos, names, perform };
}

type Used = Awaited<ReturnType<typeof usedWorld>>;

const sumOf = (uses: readonly Use[]): number => uses.reduce((sum, { parts }) => sum + parts, 0);
const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** The uses of a year, a month or a day. */
const within = (uses: readonly Use[], [year, month, day]: readonly number[]): Use[] =>
  uses.filter(
    ({ at }) =>
      at.getUTCFullYear() === year &&
      (month === undefined || at.getUTCMonth() + 1 === month) &&
      (day === undefined || at.getUTCDate() === day),
  );

const groupsOf = (uses: readonly Use[], key: (use: Use) => unknown): Use[][] => [
  ...Map.groupBy(uses, (use) => JSON.stringify(key(use))).values(),
];

/** The reports of the assistant's usage have it by its models, of everybody or of one user. */
async function checkAssistantReports(
  { users, client }: Used,
  { login, used, query }: { login: string; used: readonly Use[]; query: string },
): Promise<void> {
  for (const sku of assistantSkus)
    for (const user of [undefined, ...users]) {
      const wanted = used.filter((one) => one.sku === sku && (user === undefined || one.user === user.id));
      const path = `/organizations/${login}/settings/billing/${sku.slice('assistant_'.length)}/usage`;
      const { usageItems }: { usageItems: Record<string, unknown>[] } = (
        await client.get(`${path}?${query}${user ? `&user=${user.login}` : ''}`)
      ).body;
      const found = usageItems.map((item) => ['model', 'pricePerUnit', 'grossQuantity', 'netAmount'].map((name) => item[name]));
      const expected = groupsOf(wanted, (one) => [one.model, one.price]).map((group) => {
        const [one] = group as [Use];
        const quantity = sumOf(group) / unitOf(sku);
        return [one.model, one.price, quantity, quantity * one.price];
      });
      expect(sorted(found)).toEqual(sorted(expected));
    }
}

async function checkReports(all: Used): Promise<void> {
  const { orgs, client, uses, names } = all;
  for (const org of orgs) {
    const own = uses.filter((one) => one.org === org.id);
    const nameOf = ({ repo }: Use): string | undefined =>
      repo === undefined ? undefined : `${org.login}/${names.get(`${org.id} ${repo}`)}`;
    const base = `/organizations/${org.login}/settings/billing/usage`;
    const dates = own.map(({ at }) => [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]);
    const periods = [
      ...new Set([...dates, [2026]].flatMap((date) => [1, 2, 3].map((parts) => JSON.stringify(date.slice(0, parts))))),
    ].map((text): number[] => JSON.parse(text));
    for (const period of periods) {
      const query = ['year', 'month', 'day']
        .slice(0, period.length)
        .map((part, at) => `${part}=${period[at]}`)
        .join('&');
      const used = within(own, period);
      const dateOf = ({ at }: Use): string =>
        `${at.toISOString().slice(0, period.length === 1 ? 7 : 10)}${period.length === 1 ? '-01' : ''}`;
      const expected = groupsOf(used, (one) => [dateOf(one), one.sku, one.price, one.repo]).map((group) => {
        const [one] = group as [Use];
        const quantity = sumOf(group) / unitOf(one.sku);
        return [`${dateOf(one)}T00:00:00Z`, productOf(one.sku), one.sku, one.price, quantity, quantity * one.price, nameOf(one)];
      });
      const items: Record<string, unknown>[] = (await client.get(`${base}?${query}`)).body.usageItems;
      const shown = items.map((item) =>
        ['date', 'product', 'sku', 'pricePerUnit', 'quantity', 'netAmount', 'repositoryName'].map((name) => item[name]),
      );
      expect(sorted(shown)).toEqual(sorted(expected));

      await checkAssistantReports(all, { login: org.login, used, query });
      const repositories = [undefined, 'never-there', ...new Set(own.map(nameOf))];
      const filters = [
        ...repositories.map((repository) => ({ repository })),
        ...[...skus, 'actions_linux'].map((sku) => ({ sku })),
        ...['actions', 'Assistant', 'packages'].map((product) => ({ product })),
        ...repositories.map((repository) => ({ repository, product: 'actions', sku: 'actions_self_hosted_linux' })),
      ];
      for (const filter of filters) {
        const { repository, sku, product } = { repository: undefined, sku: undefined, product: undefined, ...filter };
        const wanted = used.filter(
          (one) =>
            (repository === undefined || nameOf(one) === repository) &&
            (sku === undefined || one.sku === sku) &&
            (product === undefined || productOf(one.sku) === product.toLowerCase()),
        );
        const more = Object.entries(filter)
          .flatMap(([name, value]) => (value === undefined ? [] : `&${name}=${value}`))
          .join('');
        const sums: Record<string, unknown>[] = (await client.get(`${base}/summary?${query}${more}`)).body.usageItems;
        const found = sums.map((item) => ['sku', 'pricePerUnit', 'grossQuantity', 'netAmount'].map((name) => item[name]));
        const wantedSums = groupsOf(wanted, (one) => [one.sku, one.price]).map((group) => {
          const [one] = group as [Use];
          const quantity = sumOf(group) / unitOf(one.sku);
          return [one.sku, one.price, quantity, quantity * one.price];
        });
        expect(sorted(found)).toEqual(sorted(wantedSums));
      }
    }
  }
}

const large = { budget_amount: 1_000_000_000 } as const;
const subjects = [
  { budget_type: 'ProductPricing', budget_product_sku: 'actions' },
  { budget_type: 'ProductPricing', budget_product_sku: 'assistant' },
  { budget_type: 'BundlePricing', budget_product_sku: 'ai_credits' },
  { budget_type: 'BundlePricing', budget_product_sku: 'premium_requests' },
  { budget_type: 'SkuPricing', budget_product_sku: 'actions_self_hosted_linux' },
  { budget_type: 'SkuPricing', budget_product_sku: 'actions_storage' },
] as const;
const counts: Readonly<Record<string, (sku: string) => boolean>> = {
  actions: (sku) => sku.startsWith('actions_'),
  assistant: (sku) => sku.startsWith('assistant_'),
  ai_credits: (sku) => sku === 'assistant_ai_credit',
  premium_requests: (sku) => sku === 'assistant_premium_request',
};

/** Budgets for an organization, for a repository, for each user and for one, each for several products. */
async function addBudgets({ orgs: [org], users, client, repos }: Used): Promise<void> {
  const [first] = repos;
  const base = `/organizations/${org.login}/settings/billing/budgets`;
  for (const subject of subjects) {
    const scopes = [
      { budget_scope: 'organization' },
      { budget_scope: 'repository', budget_entity_name: first?.name },
      ...(subject.budget_product_sku === 'actions_storage'
        ? []
        : [{ budget_scope: 'multi_user_customer' }, { budget_scope: 'user', user: users[1].login }]),
    ];
    for (const scope of scopes) expect((await client.post(base, { ...large, ...subject, ...scope })).status).toBe(200);
  }
}

async function checkBudgets({ orgs: [org], users, client, uses, repos }: Used, first: number): Promise<void> {
  const { now } = w.clock;
  const month = within(uses, [now.getUTCFullYear(), now.getUTCMonth() + 1]).filter((one) => one.org === org.id);
  const costOf = (name: string, of: (use: Use) => boolean): number => {
    const isCounted = counts[name] ?? ((sku: string) => sku === name);
    const counted = month.filter((one) => isCounted(one.sku) && of(one));
    return counted.reduce((sum, { parts, price, sku }) => sum + (parts * price) / unitOf(sku), 0);
  };
  const list = async (query: string) =>
    (await client.get(`/organizations/${org.login}/settings/billing/budgets?per_page=100${query}`)).body;
  const isThere = repos.some(({ id, moved }) => id === first && !moved);
  const { budgets } = await list('');
  const repository = isThere ? subjects.length : 0;
  expect(budgets).toHaveLength(subjects.length + repository + 2 * (subjects.length - 1));
  for (const { budget_scope, budget_product_sku, consumed_amount } of budgets) {
    if (budget_scope === 'multi_user_customer') expect(consumed_amount).toBeUndefined();
    else {
      const of = {
        organization: () => true,
        repository: (one: Use) => one.repo === first,
        user: (one: Use) => one.user === users[1].id,
      };
      expect(consumed_amount).toBeCloseTo(costOf(budget_product_sku, of[budget_scope as keyof typeof of]), 9);
    }
  }
  for (const { id, login } of users) {
    const { budgets: own, effective_budget } = await list(`&user=${login}`);
    expect(own).toHaveLength((subjects.length - 1) * (id === users[1].id ? 2 : 1));
    for (const { budget_product_sku, consumed_amount } of own)
      expect(consumed_amount).toBeCloseTo(
        costOf(budget_product_sku, ({ user }) => user === id),
        9,
      );
    expect(effective_budget.consumed_amount).toBeCloseTo(
      Math.max(...subjects.slice(0, -1).map(({ budget_product_sku }) => costOf(budget_product_sku, ({ user }) => user === id))),
      9,
    );
  }
}

/** Each kind of step at least once, with counts of both sides of changes of names, owners, prices, days and months. */
const eachStep: Step[] = [
  { does: 'job', repo: 0, user: 1, system: 'ubuntu-latest', minutes: 2.5 },
  { does: 'rerun', repo: 0, user: 2, minutes: 61 },
  { does: 'artifact', repo: 0, size: 2 ** 31 },
  { does: 'cache', repo: 1, size: 12_345 },
  { does: 'hours', hours: 2 },
  { does: 'price', sku: 'actions_self_hosted_linux', price: 0.012 },
  { does: 'price', sku: 'actions_storage', price: 0.004 },
  { does: 'job', repo: 0, user: 1, system: 'ubuntu-latest', minutes: 3 },
  { does: 'job', repo: 1, user: 2, system: 'hosted', minutes: 10 },
  { does: 'assist', repo: 0, user: 1, sku: 'assistant_ai_credit', model: 'one', isInRepo: true, parts: 1_234_567 },
  { does: 'assist', repo: 0, user: 1, sku: 'assistant_ai_credit', model: 'two', isInRepo: false, parts: 765 },
  { does: 'assist', repo: 0, user: 2, sku: 'assistant_premium_request', model: 'one', isInRepo: true, parts: 3 },
  { does: 'hours', hours: 1 },
  { does: 'rename', repo: 0 },
  { does: 'days', days: 1 },
  { does: 'job', repo: 0, user: 0, system: 'windows-latest', minutes: 20 },
  { does: 'rename', repo: 1 },
  { does: 'transfer', repo: 1 },
  { does: 'job', repo: 1, user: 1, system: 'ubuntu-latest', minutes: 4 },
  { does: 'rename', repo: 1 },
  { does: 'hours', hours: 1 },
  { does: 'empty', repo: 1 },
  { does: 'days', days: 40 },
  { does: 'rerun', repo: 0, user: 1, minutes: 61 },
  { does: 'hours', hours: 1 },
  { does: 'rename', repo: 0 },
  { does: 'transfer', repo: 0 },
  { does: 'transfer', repo: 0 },
  { does: 'rename', repo: 2 },
  { does: 'create', repo: 2 },
  { does: 'job', repo: 3, user: 1, system: 'ubuntu-latest', minutes: 5 },
  { does: 'delete', repo: 3 },
  { does: 'create', repo: 2 },
  { does: 'job', repo: 3, user: 1, system: 'ubuntu-latest', minutes: 6 },
  { does: 'rename', repo: 3 },
  { does: 'delete', repo: 3 },
  { does: 'hours', hours: 1 },
  { does: 'job', repo: 1, user: 1, system: 'ubuntu-latest', minutes: 7 },
  { does: 'rename', repo: 1 },
];

test('each report and each budget is the sum of what was used', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      const used = await usedWorld();
      const first = used.repos[0]?.id ?? 0;
      await addBudgets(used);
      for (const one of steps) {
        if (one.does === 'days') await checkBudgets(used, first);
        await used.perform(one);
      }
      await checkReports(used);
      await checkBudgets(used, first);
    }),
    { numRuns: 6, endOnFailure: true, examples: [[eachStep]] },
  );
});
