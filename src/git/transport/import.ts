import { isAbsolute } from 'node:path';
import { GitError } from '../errors.ts';
import { type Progress, progressReader } from '../process/progress.ts';
import { runText, startTransfer } from '../process/run.ts';
import { refNameProblem } from '../refs/ref-name.ts';
import type { GitRepository, GitStore } from '../repo.ts';
import { buildRepository, initialise, repoOf } from '../store.ts';

/**
 * Imports branches, tags and the default branch of an existing repository. `source` is an absolute path or an http(s) URL. It
 * must come from the operator and never from a request, since git connects to it without the address checks of `net/outbound.ts`.
 */
export async function importRepository(
  store: GitStore,
  id: number,
  given: {
    source: string;
    /**
     * The password for an http(s) source. It is passed in git's environment, since all users of a machine can read command lines.
     */
    token?: string | undefined;
    fallbackBranch: string;
    /** Whether to import the heads of its pull requests too. */
    pulls?: boolean | undefined;
    onProgress?: ((progress: Progress) => void) | undefined;
    signal?: AbortSignal;
  },
): Promise<GitRepository> {
  const source = checkedSource(given.source);
  const config = given.token === undefined ? [] : credentialConfig(source, given.token);
  return buildRepository(repoOf(store, id), async (draft) => {
    await initialise(draft, given.fallbackBranch);
    const args = ['fetch', '--progress', '--no-write-fetch-head', '--no-auto-maintenance', '--no-tags', '--', source];
    // There is no time limit, since an operator runs it and sees the progress.
    const readProgress = progressReader(given.onProgress ?? (() => undefined));
    let shallow = false;
    const onStderr = (text: string): void => {
      // git exits successfully even if it omits refs with incomplete history.
      shallow ||= text.includes('because shallow roots are not allowed');
      readProgress(text);
    };
    const git = await startTransfer(draft, [...args, ...refspecs, ...(given.pulls ? [pullHeads] : [])], {
      onStderr,
      signal: given.signal,
      env: protocolEnvironment,
      config,
      timeout: 0,
      idle: 0,
    });
    git.stdin.end();
    git.stdout.resume();
    const { code, cause } = await git.ended;
    if (cause) throw cause;
    if (code !== 0) throw new GitError('failed', 'The repository could not be fetched', git.stderr().trim());
    if (shallow) throw new GitError('invalid', 'The repository is a shallow clone: complete it by `git fetch --unshallow` first');
    await chooseHead(draft, source, config);
  });
}

// Omits names that could be mistaken for other refs. Pushes refuse them too.
const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*', '^refs/heads/refs/*', '^refs/tags/refs/*'];
const pullHeads = '+refs/pull/*/head:refs/pull/*/head';
const protocolEnvironment = { GIT_ALLOW_PROTOCOL: 'file:http:https' };

type GitConfig = readonly (readonly [string, string])[];

/** The token as a password, which all hosts accept. Redirects aren't followed, since git would send the token there too. */
function credentialConfig(source: string, token: string): GitConfig {
  if (isAbsolute(source)) return [];
  const credential = Buffer.from(`x-access-token:${token}`).toString('base64');
  return [
    [`http.${new URL(source).origin}/.extraHeader`, `Authorization: Basic ${credential}`],
    ['http.followRedirects', 'false'],
  ];
}

function checkedSource(source: string): string {
  if (isAbsolute(source) && !source.includes('\0')) return source;
  const url = URL.parse(source);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new GitError('invalid', 'The source must be an absolute path or an http(s) address');
}

/** Points HEAD to the source's default branch if it was imported, otherwise to `main`, `master` or the first branch. */
async function chooseHead(draft: GitRepository, source: string, config: GitConfig): Promise<void> {
  const listed = await runText(draft, ['ls-remote', '--symref', '--', source, 'HEAD'], {
    env: protocolEnvironment,
    config,
    kind: 'transfer',
  });
  const sourceHead = /^ref: (refs\/heads\/\S+)\tHEAD$/m.exec(listed)?.[1];
  const branches = (await runText(draft, ['for-each-ref', '--format=%(refname)', 'refs/heads']))
    .split('\n')
    .filter((name) => name !== '');
  const preferred = [sourceHead, 'refs/heads/main', 'refs/heads/master', branches[0]];
  const head = preferred.find((name) => name !== undefined && branches.includes(name)) ?? sourceHead;
  if (head !== undefined && !refNameProblem(head)) await runText(draft, ['symbolic-ref', 'HEAD', head]);
}
