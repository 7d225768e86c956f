import { isAbsolute, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { trimEndOf } from '#lib/trim.ts';
import { openOutbound } from '#net/outbound.ts';
import { parseTarget } from '#net/target.ts';
import {
  findApi,
  importWithIssues,
  openSource,
  possibleApis,
  readAddress,
} from '#resources/platform/repository-imports/index.ts';
import { importRepository } from '#resources/repositories/repositories/index.ts';
import { type BypassedRules, bypassedRules } from '../bypassed-rules.ts';
import { counted, installationCommand, installationConfigOf, onInstallation, print } from '../command.ts';
import { peopleIn, tokenIn } from '../import-files.ts';
import type { CommandContext } from '../installation.ts';
import { accountNamed, actorFor, ownerFor, splitName } from '../lookup.ts';
import { type ProgressBar, progressBar } from '../progress.ts';
import { UsageError } from '../usage-error.ts';

const help = `
With --with-issues, the source is a server of the public API, and the new repository also gets its labels, milestones, issues and
comments, with their numbers, times and states:
  hearth import https://git.example.com/acme/engine acme/engine --as ada --with-issues --token-file token.txt

If that is interrupted, the same command goes on with it. Until it is complete, the repository's issues are switched off.
The token is that of somebody who may read the source. It is sent to the source alone, and read from a file or from
HEARTH_IMPORT_TOKEN.
Texts have an author only where --map-users names one; others begin with the login that wrote them there.`;

export const importCommand = installationCommand(
  'import',
  "Create a repository with another one's branches and tags, and with its issues on request. A running server " +
    'indexes it for the search.',
  'hearth import https://git.example.com/engine.git acme/engine --as ada',
)
  .argument('<source>', 'folder of a Git repository, or its http(s) address')
  .argument('<owner/name>')
  .option('--private', 'visible only to people with a role in it')
  .option('--as <user>', 'who imports it; needed where the owner is an organization')
  .option('--with-issues', 'also import labels, milestones, issues and comments')
  .option('--token-file <file>', 'file with a token for the source (else HEARTH_IMPORT_TOKEN)')
  .option('--map-users <file>', "lines theirs=ours: which accounts here stand for the source's")
  .option('--api <address>', "root of the source's API, if it is neither <source>/api/v3 nor on the host api.<source>")
  .addHelpText('after', help)
  .action((source, fullName, options, command) =>
    onInstallation(command, async (installation) => {
      if (!/^https?:\/\//.test(source) && /^[a-z][\w+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(source))
        throw new UsageError(`${source} is neither a folder nor an http(s) address`);
      const { withIssues, api, mapUsers, tokenFile } = options;
      if (!withIssues && (api ?? mapUsers) !== undefined) throw new UsageError('--api and --map-users are for --with-issues');
      const { db } = installation;
      const { owner: login, name } = splitName(fullName);
      const account = await accountNamed(db, login);
      const actor = await actorFor(db, account, options.as);
      const token = tokenFile === undefined ? installationConfigOf(command).importToken : await tokenIn(tokenFile);
      const bar = await progressBar();
      const bypassed = bypassedRules();
      const wanted = { account, actor, name, private: options.private ?? false, token, bypassed };
      const imported: Imported = withIssues
        ? await importAll(installation, bar, { ...wanted, source, api, mapUsers }).finally(() => bar.end())
        : await importGit(installation, bar, { ...wanted, source }).finally(() => bar.end());
      const { repository: repo, ...numbers } = imported;
      const full_name = `${account.login}/${repo.name}`;
      const { issues = 0, comments = 0 } = numbers;
      const more = withIssues ? `, with ${counted(issues, 'issue')} and ${counted(comments, 'comment')}` : '';
      print(command, { id: repo.id, full_name, default_branch: repo.default_branch, ...numbers, ...bypassed.fields() }, [
        ...bypassed.lines,
        `Imported ${full_name} (default branch ${repo.default_branch})${more}`,
      ]);
    }),
  );

type Imported = { repository: RepositoryRow; issues?: number; comments?: number };
type Wanted = {
  source: string;
  account: Account;
  actor: Account;
  name: string;
  private: boolean;
  token: string | undefined;
  bypassed: BypassedRules;
};

async function importGit({ db, change, hearth, now }: CommandContext, bar: ProgressBar, wanted: Wanted) {
  const { source, account, actor, name, token, bypassed } = wanted;
  const repository = await change(async (scope) =>
    importRepository(scope, {
      git: hearth.services.git,
      owner: await ownerFor(db, account, actor),
      by: { account: actor, grant: { kind: 'none' } },
      wanted: { name, private: wanted.private },
      source: isAbsolute(source) || /^https?:/.test(source) ? source : resolve(source),
      token,
      onProgress: ({ phase, done, total }) => bar.show(phase, done, total),
      onBypass: bypassed.add,
      now,
    }),
  );
  return { repository };
}

type WantedIssues = Wanted & { api: string | undefined; mapUsers: string | undefined };

async function importAll({ db, change, hearth }: CommandContext, bar: ProgressBar, wanted: WantedIssues) {
  const { account, actor, name, token, api, bypassed } = wanted;
  const from = readAddress(wanted.source);
  if (api !== undefined && !parseTarget(api))
    throw new UsageError('--api must be an http(s) address, as https://git.example.com/api/v3');
  const people = wanted.mapUsers === undefined ? new Map<string, Account>() : await peopleIn(db, wanted.mapUsers);
  const { git, outbound: elsewhere, version } = hearth.services;
  // The operator has chosen the source, which may be in a private network. Addresses that the source refers to are checked
  // separately.
  const outbound = openOutbound({ allow: ['0.0.0.0/0', '::/0'] });
  try {
    const userAgent = `Hearth/${version}`;
    const source = openSource({
      api: (api && trimEndOf(api, '/')) ?? (await findApi(possibleApis(from), { outbound, userAgent })),
      token,
      outbound,
      elsewhere,
      userAgent,
      clock: () => new Date(),
      async wait(seconds, why) {
        const total = Math.ceil(seconds);
        for (let done = 0; done < total; done++) {
          bar.show(why === 'rate limit' ? 'Rate limit: waiting (s)' : 'Waiting to try again (s)', done, total);
          await pause(1_000);
        }
      },
    });
    const onProgress = ({ phase, done, total }: { phase: string; done: number; total: number }) => bar.show(phase, done, total);
    return await importWithIssues(
      { db, change, git, source, clock: () => new Date(), onProgress },
      {
        from,
        token,
        owner: await ownerFor(db, account, actor),
        by: actor,
        name,
        private: wanted.private,
        people,
        onBypass: bypassed.add,
      },
    );
  } finally {
    outbound.close();
  }
}
