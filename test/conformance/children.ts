import type { Endpoint } from '#endpoint/endpoint.ts';
import { type AnyPathResource, resourcesOf } from '#endpoint/path-resource.ts';
import { loadSamples, type SampleStage } from '#test/support/samples.ts';

export type Words = Readonly<Record<string, string>>;

export const { samples, callers } = await loadSamples();

/** The words of the accounts and the repository of a stage. */
const rootsOf = ({ org, repo }: SampleStage): Words => ({
  org: org.login,
  owner: org.login,
  repo: repo.name,
  template_owner: org.login,
  template_repo: repo.name,
  username: 'carl',
});

/** A path with the known words filled in. */
export const fill = (path: string, words: Words): string =>
  path.replace(/\{(\w+)\}/g, (brace, word: string) => words[word] ?? brace);

/** The address of a path resource's parent, with the known words filled in. */
function baseOf(path: string, { below }: AnyPathResource, words: Words): string {
  const last = { org: '{org}', repo: '{repo}', template: '{template_repo}', user: '{username}' } as const;
  const lastWord =
    typeof below === 'object' ? `{${Object.keys(below.words).at(-1)}}` : below ? last[below as keyof typeof last] : undefined;
  return lastWord === undefined ? '' : fill(path.slice(0, path.indexOf(lastWord) + lastWord.length), words);
}

/** Creates everything that an endpoint's path names on a stage, and returns the words. */
export async function makeAll(stage: SampleStage, endpoint: Endpoint): Promise<Words> {
  let words = rootsOf(stage);
  for (const resource of resourcesOf(endpoint)) {
    const sample = samples.get(resource);
    // Resources without words may exist without being created.
    if (!sample && Object.keys(resource.words).length === 0) continue;
    if (!sample) throw new Error(`${resource.name} of ${endpoint.path} has no sample`);
    words = { ...words, ...(await sample(stage, baseOf(endpoint.path, resource, words))) };
  }
  return words;
}

const kinds = [...samples.keys()];
const made = new Map<SampleStage, Map<string, Promise<Words>>>();

/** Like `makeAll`, once for all endpoints with the same parents on a stage. For requests that must not change their resources. */
export function makeOnce(stage: SampleStage, endpoint: Endpoint): Promise<Words> {
  const ofStage = made.get(stage) ?? new Map<string, Promise<Words>>();
  made.set(stage, ofStage);
  const resources = resourcesOf(endpoint);
  const words = resources.flatMap((resource) => Object.keys(resource.words));
  const end = Math.max(0, ...words.map((word) => endpoint.path.indexOf(`{${word}}`) + word.length + 2));
  // Several resources have the same name, such as an issue that has a parent.
  const key = [endpoint.path.slice(0, end), ...resources.map((resource) => kinds.indexOf(resource))].join(' ');
  const found = ofStage.get(key) ?? makeAll(stage, endpoint);
  ofStage.set(key, found);
  return found;
}
