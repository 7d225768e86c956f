import { Octokit } from 'octokit';
import { beforeAll, describe, expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });
const { user, org, repo, token, settle, url } = w;

let octokit: Octokit;

beforeAll(async () => {
  const ada = await user('ada');
  const engine = await repo(await org(ada, 'acme'), { name: 'engine', visibility: 'private', by: ada });
  const many = Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`many/f${i}.txt`, `manyfold ${i}\n`]));
  await commitFiles(w, engine, { 'README.md': '# Engine\n' }, 'Write a README');
  await commitFiles(
    w,
    engine,
    { 'src/answer.ts': 'export const 名 = "😀 theAnswer";\n', ...many },
    'Find the answer\n\nIt is 42.',
  );
  await settle();
  octokit = new Octokit({
    auth: await token(ada),
    baseUrl: `${url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
});

describe('an unmodified Octokit', () => {
  test('searches code, with text matches by the media type format', async () => {
    const { data } = await octokit.rest.search.code({ q: 'answer language:typescript', mediaType: { format: 'text-match' } });
    expect(data).toMatchObject({ total_count: 1, incomplete_results: false });
    const [hit] = data.items;
    expect(hit).toMatchObject({ path: 'src/answer.ts', repository: { full_name: 'acme/engine', private: true } });
    const { data: file } = await octokit.request(`GET ${hit?.url}`);
    expect(Buffer.from(file.content, 'base64').toString()).toContain('theAnswer');
    const content = hit?.text_matches?.find(({ property }) => property === 'content');
    expect(content?.object_type).toBe('FileContent');
    expect(content?.matches).toEqual([{ text: 'Answer', indices: [24, 30] }]);
    expect(content?.fragment?.slice(24, 30)).toBe('Answer');
  });

  test('pages through all hits by the Link header', async () => {
    const paths = await octokit.paginate(octokit.rest.search.code, { q: 'manyfold repo:acme/engine', per_page: 20 }, ({ data }) =>
      data.map(({ path }) => path),
    );
    expect(new Set(paths).size).toBe(45);
  });

  test('searches commits, with text matches and sorted', async () => {
    const { data } = await octokit.rest.search.commits({
      q: 'answer author-date:>2000-01-01',
      mediaType: { format: 'text-match' },
    });
    expect(data.items.map(({ commit }) => commit.message)).toEqual(['Find the answer\n\nIt is 42.']);
    const [match] = data.items[0]?.text_matches ?? [];
    expect(match).toMatchObject({ property: 'message', object_type: 'Commit', matches: [{ text: 'answer', indices: [9, 15] }] });
    const all = await octokit.rest.search.commits({ q: 'repo:acme/engine', sort: 'committer-date', order: 'asc' });
    expect(all.data.total_count).toBe(2);
  });

  test('gets errors that say what is wrong', async () => {
    await expect(octokit.rest.search.code({ q: 'language:go' })).rejects.toMatchObject({
      status: 422,
      response: { data: { message: 'Validation Failed', errors: [{ resource: 'Search', field: 'q', code: 'invalid' }] } },
    });
    await expect(octokit.rest.search.commits({ q: 'x repo:acme/none' })).rejects.toMatchObject({ status: 422 });
    const anonymous = new Octokit({ baseUrl: `${url}/api/v3`, throttle: { enabled: false }, retry: { enabled: false } });
    await expect(anonymous.rest.search.code({ q: 'answer' })).rejects.toMatchObject({ status: 401 });
    expect((await anonymous.rest.search.commits({ q: 'answer' })).data.total_count).toBe(0);
  });
});
