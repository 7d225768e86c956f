import { expect, test } from 'vitest';
import { person } from '#test/resources/code/commits/setting.ts';
import { hasOpenSsh, sshWorld } from '#test/ssh-server/support.ts';
import { type RuleSetting, ruleSetting } from './setting.ts';

const { here: w, keyFile, git, address } = await sshWorld();

type Rule = { type: string; parameters?: object };

/** How a change comes to `main`: what it answers, as one text; undefined where it succeeds. */
const ways: Record<string, (setting: RuleSetting, commit: string, given: Case) => Promise<string | undefined>> = {
  'git push': ({ push }, commit) => push(`${commit}:refs/heads/main`),
  'git push over SSH': async ({ api, folder, owner, repo }, commit) => {
    if (!hasOpenSsh) return 'skipped, since there is no OpenSSH here';
    const key = keyFile();
    await api.post('/user/keys', { title: 'key', key: key.line });
    const { code, err } = await git(key, ['push', address(owner.login, repo.name), `${commit}:refs/heads/main`], { cwd: folder });
    return code === 0 ? undefined : err;
  },
  'PATCH git/refs': async ({ api, base }, sha) => refusal(await api.patch(`${base}/git/refs/heads/main`, { sha }), 422),
  'POST merges': async ({ api, base }) =>
    refusal(await api.post(`${base}/merges`, { base: 'main', head: 'change', commit_message: 'Merge' }), 409),
  'PUT contents': async ({ api, base }, _commit, { file = 'x.txt', content = 'x' }) =>
    refusal(
      await api.put(`${base}/contents/${file}`, { message: 'Change', content: Buffer.from(content).toString('base64') }),
      409,
    ),
  'PUT pulls/merge': async ({ api, base, open, tested }) => {
    const number = await open('change');
    await tested(number);
    return refusal(await api.put(`${base}/pulls/${number}/merge`, {}), 405);
  },
};

function refusal({ status, body }: { status: number; body: { message?: string } }, expected: number): string | undefined {
  if (status < 300) return undefined;
  expect([status, body.message]).toEqual([
    expected,
    expect.stringContaining('Repository rule violations found for refs/heads/main'),
  ]);
  return body.message;
}

type Case = {
  rule: Rule;
  target?: 'push';
  /** The file of the change. */
  file?: string;
  content?: string;
  /** What the refusal says. */
  says: RegExp;
};

const reviewed = {
  dismiss_stale_reviews_on_push: false,
  require_code_owner_review: false,
  require_last_push_approval: false,
  required_approving_review_count: 1,
  required_review_thread_resolution: false,
};

const cases: Case[] = [
  { rule: { type: 'update' }, says: /Cannot update this protected ref/ },
  {
    rule: { type: 'pull_request', parameters: reviewed },
    says: /must be made through a pull request|At least 1 approving review is required/,
  },
  {
    rule: {
      type: 'required_status_checks',
      parameters: { required_status_checks: [{ context: 'ci' }], strict_required_status_checks_policy: false },
    },
    says: /Required status check "ci" is expected/,
  },
  { rule: { type: 'required_signatures' }, says: /Commits must have verified signatures: [0-9a-f]{7} \(unsigned\)/ },
  {
    rule: { type: 'required_deployments', parameters: { required_deployment_environments: ['staging'] } },
    says: /staging/,
  },
  {
    rule: {
      type: 'code_scanning',
      parameters: { code_scanning_tools: [{ tool: 'CodeQL', alerts_threshold: 'none', security_alerts_threshold: 'none' }] },
    },
    says: /Code scanning results of CodeQL are expected/,
  },
  {
    rule: { type: 'commit_message_pattern', parameters: { operator: 'regex', pattern: '^[A-Z]+-[0-9]+: ', name: 'a ticket' } },
    says: /Commit messages must match the pattern "a ticket"/,
  },
  {
    rule: { type: 'commit_author_email_pattern', parameters: { operator: 'ends_with', pattern: '@corp.example' } },
    says: /Addresses of authors must end with "@corp.example"/,
  },
  {
    rule: { type: 'committer_email_pattern', parameters: { operator: 'contains', pattern: 'corp' } },
    says: /Addresses of committers must contain "corp"/,
  },
  {
    rule: { type: 'file_path_restriction', parameters: { restricted_file_paths: ['secret/**/*'] } },
    target: 'push',
    file: 'secret/deep/key',
    says: /The path secret\/deep\/key can't be changed/,
  },
  {
    rule: { type: 'file_extension_restriction', parameters: { restricted_file_extensions: ['*.exe'] } },
    target: 'push',
    file: 'tool.EXE',
    says: /Files ending in .exe can't be pushed: tool.EXE/,
  },
  {
    rule: { type: 'max_file_path_length', parameters: { max_file_path_length: 10 } },
    target: 'push',
    file: 'a/long/path/to/x',
    says: /Paths may have up to 10 characters/,
  },
  {
    rule: { type: 'max_file_size', parameters: { max_file_size: 1 } },
    target: 'push',
    file: 'big',
    content: 'x'.repeat(1024 * 1024 + 1),
    says: /Files may have up to 1 MB: big/,
  },
];

test.each(cases)('$rule.type holds on every way in', async (given) => {
  const setting = await ruleSetting(w);
  const { rule, target, file = 'x.txt', content = 'x' } = given;
  const { first, tip } = setting;
  const commit = await setting.bring('change', { files: { [file]: content }, parents: [first], author: person('Bob', 2) });
  await setting.rule(rule, target === 'push' ? { target, conditions: {} } : {});
  for (const [way, take] of Object.entries(ways)) {
    const told = await take(setting, commit, given);
    if (!told?.startsWith('skipped')) expect(told, way).toMatch(given.says);
    expect(await tip('main'), way).toBe(first);
  }
});
