import { isAbsolute, resolve } from 'node:path';
import { importRepository } from '#resources/repositories/index.ts';
import { installationCommand, onInstallation, print } from '../command.ts';
import { accountNamed, actorFor, ownerFor, splitName } from '../lookup.ts';
import { progressBar } from '../progress.ts';
import { UsageError } from '../usage-error.ts';

export const importCommand = installationCommand(
  'import',
  "Create a repository with another one's branches and tags. A running server indexes it for the search.",
  'hearth import https://git.example.com/engine.git acme/engine --as ada',
)
  .argument('<source>', 'folder of a Git repository, or its http(s) address')
  .argument('<owner/name>')
  .option('--private', 'visible only to people with a role in it')
  .option('--as <user>', 'who imports it; needed where the owner is an organization')
  .action((source, fullName, options, command) =>
    onInstallation(command, async ({ db, change, hearth, now }) => {
      if (!/^https?:\/\//.test(source) && /^[a-z][\w+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(source))
        throw new UsageError(`${source} is neither a folder nor an http(s) address`);
      const { owner: login, name } = splitName(fullName);
      const account = await accountNamed(db, login);
      const actor = await actorFor(db, account, options.as);
      const bar = progressBar();
      const { git } = hearth.services;
      const repo = await change(async (tx) =>
        importRepository(tx, {
          git,
          owner: await ownerFor(tx, account, actor),
          by: { account: actor, grant: { kind: 'none' } },
          wanted: { name, private: options.private ?? false },
          source: isAbsolute(source) || /^https?:/.test(source) ? source : resolve(source),
          onProgress: ({ phase, done, total }) => bar.show(phase, done, total),
          now,
        }),
      ).finally(() => bar.end());
      print(command, { id: repo.id, full_name: `${account.login}/${repo.name}`, default_branch: repo.default_branch }, [
        `Imported ${account.login}/${repo.name} (default branch ${repo.default_branch})`,
      ]);
    }),
  );
