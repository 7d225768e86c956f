import fc from 'fast-check';
import { git } from '#test/git/support.ts';
import { command, type Effect, must, pathOf, pick, pickRepository, type Real, text, which, write } from './command.ts';
import { type Account, accounts, fullName, type Model, type Repository, type Visibility } from './model.ts';

/** What happens to repositories as a whole. All of it is done by their owner. */

const owner = fc.constantFrom(...accounts);
const word = fc.nat(2);
const visibility = fc.constantFrom<Visibility>('public', 'private', 'internal');
const fits = (account: Account, wanted: Visibility): boolean => account !== 'ada' || wanted !== 'internal';

const nameOf = (model: Model, at: number): string => model.words[at] ?? '';
const isTaken = (model: Model, account: Account, name: string): boolean =>
  model.repositories.some((one) => one.owner === account && one.name === name);

type Wanted = Pick<Repository, 'owner' | 'name' | 'description' | 'visibility'>;

/** Creates a repository without contents. */
export async function create({ clients }: Real, model: Model, wanted: Wanted): Promise<Repository> {
  const { owner: account, ...body } = wanted;
  const path = account === 'ada' ? '/user/repos' : `/orgs/${model.logins[account]}/repos`;
  const { id } = await must(201, clients.owner.post(path, body));
  const made: Repository = { ...wanted, ...fresh(), id };
  model.repositories.push(made);
  return made;
}

/** What every repository begins with. */
const fresh = () => ({
  topics: [],
  archived: false,
  hasIssues: true,
  parent: undefined,
  source: undefined,
  guest: false,
  team: false,
  defaultBranch: 'main',
  branches: new Map<string, string>(),
  labels: new Set(['bug']),
  issues: [],
});

async function destroy({ clients }: Real, model: Model, repository: Repository): Promise<void> {
  await must(204, clients.owner.delete(pathOf(model, repository)));
  model.repositories = model.repositories.filter((one) => one !== repository);
  for (const one of model.repositories) {
    if (one.parent === repository) one.parent = undefined;
    if (one.source === repository) one.source = undefined;
  }
}

/** Changes a repository's settings, and the model alike. */
const set =
  (model: Model, repository: Repository, body: object, change: Partial<Repository>): Effect =>
  async ({ clients }) => {
    await must(200, clients.owner.patch(pathOf(model, repository), body));
    Object.assign(repository, change);
  };

export const onRepositories = [
  command('create', 'indexes', fc.record({ owner, word, visibility, text }), (model, given) => {
    const name = nameOf(model, given.word);
    if (isTaken(model, given.owner, name) || !fits(given.owner, given.visibility)) return undefined;
    const { owner, visibility } = given;
    return async (real) => {
      await create(real, model, { owner, visibility, name, description: write(model, given.text) });
    };
  }),

  command('delete', 'access', fc.record({ which }), (model, given) => {
    const repository = pick(model.repositories, given.which);
    // So that there remains what the other commands can be done to.
    if (!repository || model.repositories.length < 3) return undefined;
    return (real) => destroy(real, model, repository);
  }),

  command('replace by another of the same name', 'both', fc.record({ which, visibility, text }), (model, given) => {
    const repository = pick(model.repositories, given.which);
    if (!repository || !fits(repository.owner, given.visibility)) return undefined;
    const { owner, name } = repository;
    return async (real) => {
      await destroy(real, model, repository);
      await create(real, model, { owner, name, visibility: given.visibility, description: write(model, given.text) });
    };
  }),

  command('rename', 'both', fc.record({ which, word }), (model, given) => {
    const name = nameOf(model, given.word);
    const repository = pickRepository(model, given.which, (one) => !isTaken(model, one.owner, name));
    return repository && set(model, repository, { name }, { name });
  }),

  command('describe', 'indexes', fc.record({ which, text }), (model, given) => {
    const repository = pickRepository(model, given.which);
    const description = write(model, given.text);
    return repository && set(model, repository, { description }, { description });
  }),

  command('give topics', 'indexes', fc.record({ which, text }), (model, given) => {
    const repository = pickRepository(model, given.which);
    const topics = given.text.map((at) => nameOf(model, at));
    if (!repository) return undefined;
    return async ({ clients }) => {
      await must(200, clients.owner.put(`${pathOf(model, repository)}/topics`, { names: topics }));
      repository.topics = topics;
    };
  }),

  command('transfer', 'access', fc.record({ which, owner }), (model, given) => {
    const repository = pickRepository(
      model,
      given.which,
      (one) => one.owner !== given.owner && !isTaken(model, given.owner, one.name) && fits(given.owner, one.visibility),
    );
    return (
      repository &&
      (async ({ clients }) => {
        const body = { new_owner: model.logins[given.owner] };
        await must(202, clients.owner.post(`${pathOf(model, repository)}/transfer`, body));
        Object.assign(repository, { owner: given.owner, team: false });
      })
    );
  }),

  command('transfer and rename', 'both', fc.record({ which, owner, word }), (model, { which, owner, word }) => {
    const name = nameOf(model, word);
    const repository = pickRepository(model, which, (one) => one.owner !== owner && fits(owner, one.visibility));
    if (!repository || isTaken(model, owner, name)) return undefined;
    return async ({ clients }) => {
      const body = { new_owner: model.logins[owner], new_name: name };
      await must(202, clients.owner.post(`${pathOf(model, repository)}/transfer`, body));
      Object.assign(repository, { owner, name, team: false });
    };
  }),

  command('show to', 'access', fc.record({ which, visibility }), (model, given) => {
    const { visibility } = given;
    const follows = ({ parent }: Repository) => parent === undefined || parent.visibility === visibility;
    const repository = pickRepository(
      model,
      given.which,
      (one) => fits(one.owner, visibility) && one.visibility !== visibility && follows(one),
    );
    return repository && set(model, repository, { visibility }, { visibility });
  }),

  command('archive or unarchive', 'access', fc.record({ which }), (model, given) => {
    const repository = pick(model.repositories, given.which);
    const archived = !repository?.archived;
    return repository && set(model, repository, { archived }, { archived });
  }),

  command('turn issues on or off', 'access', fc.record({ which }), (model, given) => {
    const repository = pickRepository(model, given.which);
    const hasIssues = !repository?.hasIssues;
    return repository && set(model, repository, { has_issues: hasIssues }, { hasIssues });
  }),

  command('fork', 'indexes', fc.record({ which, owner }), (model, given) => {
    const hasOne = ({ source, ...one }: Repository, of: Repository) => one.owner === given.owner && source === (of.source ?? of);
    const parent = pickRepository(
      model,
      given.which,
      (one) =>
        one.owner !== given.owner && fits(given.owner, one.visibility) && !model.repositories.some((fork) => hasOne(fork, one)),
    );
    if (!parent) return undefined;
    return async ({ clients }) => {
      const body = given.owner === 'ada' ? {} : { organization: model.logins[given.owner] };
      const { id, name } = await must(202, clients.owner.post(`${pathOf(model, parent)}/forks`, body));
      const { description, visibility, defaultBranch } = parent;
      const begun = { id, owner: given.owner, name, description, visibility, defaultBranch, hasIssues: false };
      const kin = { parent, source: parent.source ?? parent, branches: new Map(parent.branches) };
      model.repositories.push({ ...fresh(), ...begun, ...kin });
    };
  }),

  command('search another branch', 'indexes', fc.record({ which }), (model, given) => {
    const repository = pickRepository(model, given.which, ({ branches }) => branches.size > 1);
    const branch = repository && [...repository.branches.keys()].find((one) => one !== repository.defaultBranch);
    if (!repository || branch === undefined) return undefined;
    return set(model, repository, { default_branch: branch }, { defaultBranch: branch });
  }),

  command(
    'rename the searched branch',
    'indexes',
    fc.record({ which, name: fc.constantFrom('main', 'next', 'trunk') }),
    (model, given) => {
      const may = ({ branches, defaultBranch }: Repository) => branches.has(defaultBranch) && !branches.has(given.name);
      const repository = pickRepository(model, given.which, may);
      if (!repository) return undefined;
      const { branches, defaultBranch } = repository;
      return async ({ clients }) => {
        const path = `${pathOf(model, repository)}/branches/${defaultBranch}/rename`;
        await must(201, clients.owner.post(path, { new_name: given.name }));
        branches.set(given.name, branches.get(defaultBranch) ?? '');
        branches.delete(defaultBranch);
        repository.defaultBranch = given.name;
      };
    },
  ),

  command('delete the other branch', 'indexes', fc.record({ which }), (model, given) => {
    const repository = pickRepository(model, given.which, ({ branches }) => branches.size > 1);
    const branch = repository && [...repository.branches.keys()].find((one) => one !== repository.defaultBranch);
    if (!repository || branch === undefined) return undefined;
    return async ({ gitRepository, world, token }) => {
      const address = `${world.url.replace('://', `://x:${token}@`)}/${fullName(model, repository)}.git`;
      await git(gitRepository.path, 'push', '-q', address, '--delete', branch);
      repository.branches.delete(branch);
    };
  }),
];
