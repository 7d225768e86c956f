import { appCommand } from './app.ts';
import { backupCommand } from './backup.ts';
import { configCommand } from './config.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { identityKeyCommand } from './identity-key.ts';
import { imageCommand } from './image.ts';
import { importCommand } from './import.ts';
import { jobsCommand } from './jobs.ts';
import { migrationCommand } from './migration.ts';
import { orgCommand } from './org.ts';
import { reindexCommand } from './reindex.ts';
import { repoCommand } from './repo.ts';
import { restoreCommand } from './restore.ts';
import { secretKeyCommand } from './secret-key.ts';
import { serveCommand } from './serve.ts';
import { tokenCommand } from './token.ts';
import { userCommand } from './user.ts';
import { workCommand } from './work.ts';

/** Every command of `hearth`, in the order of its help. */
export const commands = [
  serveCommand,
  workCommand,
  userCommand,
  orgCommand,
  tokenCommand,
  appCommand,
  repoCommand,
  imageCommand,
  identityKeyCommand,
  secretKeyCommand,
  importCommand,
  migrationCommand,
  reindexCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
  jobsCommand,
  explainCommand,
  configCommand,
  demoCommand,
];
