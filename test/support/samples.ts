import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

/** What samples are made in: an organization and a private repository of its own, with their owner's client. */
export type SampleStage = Omit<World, 'org' | 'repo'> & {
  readonly world: World;
  /** Names that the API counts up begin with others in each of the two, so that one of them names nothing in the other. */
  readonly place: 'here' | 'elsewhere';
  readonly client: Client;
  readonly owner: Account;
  readonly org: Account;
  readonly repo: RepositoryRow;
};

/**
 * Makes one of a path resource, through the API where it has an endpoint for that, and gives the words that name it. `base` is the
 * address of what it lies below, as `/repos/acme/secret` or `/repos/acme/secret/issues/1`; empty where that is the caller.
 */
export type Sample = (stage: SampleStage, base: string) => Promise<Record<string, string>>;

export type Samples = ReadonlyMap<AnyPathResource, Sample>;

/** Who asks for a resource, where it isn't the stage's owner: as an app for its own installations. */
export type Caller = (stage: SampleStage) => Promise<Client>;
export type Callers = ReadonlyMap<AnyPathResource, Caller>;

/** The samples of all families: each has them in `test/resources/<family>/samples.ts`. */
export async function loadSamples(): Promise<{ samples: Samples; callers: Callers }> {
  const folder = join(import.meta.dirname, '../resources');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /(^|\/)samples\.ts$/.test(name));
  const modules = await Promise.all(files.map((name) => import(join(folder, name)) as Promise<Exported>));
  return {
    samples: new Map(modules.flatMap(({ samples }) => [...samples])),
    callers: new Map(modules.flatMap(({ callers = new Map() }) => [...callers])),
  };
}

type Exported = { samples: Samples; callers?: Callers };
