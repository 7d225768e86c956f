/**
 * Pushes many refs that many rules apply to, each with its own commit: created, fast-forwarded, and deleted. For comparison, the
 * same without rules.
 *
 *     npx node bench/pushes/rules.ts [refs]
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { printTable } from '../search/measure.ts';
import { openStage } from '../search/stage.ts';

const run = promisify(execFile);
const refs = Number(process.argv[2] ?? 1_000);
const everywhere = { ref_name: { include: ['~ALL'], exclude: [] } };

/** Rules that the pushes satisfy: five in each of ten rulesets. */
const rulesets = Array.from({ length: 10 }, (_, at) => ({
  name: `Rules ${at}`,
  enforcement: 'active',
  ...(at % 5 === 4 ? { target: 'push', conditions: {} } : { target: 'branch', conditions: everywhere }),
  rules:
    at % 5 === 4
      ? [
          { type: 'file_path_restriction', parameters: { restricted_file_paths: ['secret/**/*'] } },
          { type: 'file_extension_restriction', parameters: { restricted_file_extensions: ['*.exe'] } },
          { type: 'max_file_path_length', parameters: { max_file_path_length: 200 } },
          { type: 'max_file_size', parameters: { max_file_size: 10 } },
        ]
      : [
          { type: 'non_fast_forward' },
          { type: 'required_linear_history' },
          { type: 'commit_message_pattern', parameters: { operator: 'regex', pattern: '^[A-Z][a-z]+ [0-9]+' } },
          { type: 'commit_author_email_pattern', parameters: { operator: 'ends_with', pattern: '@example.org' } },
          { type: 'branch_name_pattern', parameters: { operator: 'regex', pattern: '^[a-z0-9/-]+$' } },
        ],
}));

const work = await mkdtemp(join(tmpdir(), 'hearth-rules-'));
await using stage = await openStage();
const { hearth, token } = stage;
const url = await hearth.app.listen({ host: '127.0.0.1', port: 0 });

async function git(args: string[], input?: string): Promise<string> {
  const person = { NAME: 'a', EMAIL: 'a@example.org' };
  const identity = Object.fromEntries(
    Object.entries(person).flatMap(([name, value]) => [
      [`GIT_AUTHOR_${name}`, value],
      [`GIT_COMMITTER_${name}`, value],
    ]),
  );
  const promise = run('git', args, { cwd: work, env: { ...process.env, ...identity }, maxBuffer: 1e9 });
  promise.child.stdin?.end(input);
  return (await promise).stdout.trim();
}

/** Points each branch to a new commit on top of its current one. */
async function commitToEach(round: number): Promise<void> {
  const commits = Array.from({ length: refs }, (_, at) =>
    [
      `commit refs/heads/topic-${at}`,
      `committer a <a@example.org> ${1_700_000_000 + round} +0000`,
      `data ${Buffer.byteLength(`Change ${round}`)}\nChange ${round}`,
      ...(round === 0 ? ['from refs/heads/main^0'] : [`from refs/heads/topic-${at}^0`]),
      `M 644 inline file-${at}\ndata ${String(at + round).length}\n${at + round}`,
    ].join('\n'),
  );
  await git(['fast-import', '--quiet', '--force'], `${commits.join('\n\n')}\n`);
}

try {
  await git(['init', '-q', '-b', 'main']);
  await git(['commit', '-q', '--allow-empty', '-m', 'First 1']);
  const times: Record<string, number[]> = { made: [], 'moved ahead': [], deleted: [] };
  for (const isRuled of [false, true]) {
    const name = isRuled ? 'ruled' : 'free';
    await stage.addRepository(name);
    const address = `${url.replace('//', `//x:${token}@`)}/bench/${name}.git`;
    await git(['push', '-q', address, 'main']);
    for (const payload of isRuled ? rulesets : []) {
      const headers = { authorization: `Bearer ${token}` };
      const reply = await hearth.app.inject({ method: 'POST', url: `/api/v3/repos/bench/${name}/rulesets`, headers, payload });
      if (reply.statusCode !== 201) throw new Error(reply.payload);
    }
    const push = async (kind: string, refspec: string): Promise<void> => {
      const start = performance.now();
      await git(['push', '-q', address, refspec]);
      times[kind]?.push(performance.now() - start);
    };
    await commitToEach(0);
    await push('made', 'refs/heads/topic-*:refs/heads/topic-*');
    await commitToEach(1);
    await push('moved ahead', 'refs/heads/topic-*:refs/heads/topic-*');
    const start = performance.now();
    await git(['push', '-q', address, ...Array.from({ length: refs }, (_, at) => `:refs/heads/topic-${at}`)]);
    times.deleted?.push(performance.now() - start);
  }
  const rules = rulesets.reduce((sum, ruleset) => sum + ruleset.rules.length, 0);
  printTable(
    [`${refs} branches`, 'without rules', `${rules} rules`],
    Object.entries(times).map(([kind, [free = 0, ruled = 0]]) => [kind, `${Math.round(free)} ms`, `${Math.round(ruled)} ms`]),
  );
} finally {
  await rm(work, { recursive: true, force: true });
}
