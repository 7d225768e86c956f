import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { AnyPathResource } from '#endpoint/path-resource.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

/** The context for making samples: an organization and a private repository, with their owner's client. */
export type SampleStage = Omit<World, 'org' | 'repo'> & {
  readonly world: World;
  /** Sequential numbers have different starting values in the two, so that a number in one doesn't exist in the other. */
  readonly place: 'here' | 'elsewhere';
  readonly client: Client;
  readonly owner: Account;
  readonly org: Account;
  readonly repo: RepositoryRow;
};

/**
 * Creates a sample of a path resource, with the API if it has an endpoint for that, and returns the words that name it. `base` is
 * the address of its parent, such as `/repos/acme/secret` or `/repos/acme/secret/issues/1`; empty if the parent is the caller.
 */
export type Sample = (stage: SampleStage, base: string) => Promise<Record<string, string>>;

export type Samples = ReadonlyMap<AnyPathResource, Sample>;

/** The caller for a resource, if it isn't the stage's owner, such as an app for its own installations. */
export type Caller = (stage: SampleStage) => Promise<Client>;
export type Callers = ReadonlyMap<AnyPathResource, Caller>;

/** The samples of all families, from their files `samples.ts`. */
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
