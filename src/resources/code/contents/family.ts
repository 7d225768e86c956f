import { family } from '#resources/family.ts';
import * as archivesEndpoints from './endpoints/archives.ts';
import * as communityEndpoints from './endpoints/community.ts';
import * as filesEndpoints from './endpoints/files.ts';
import * as languagesEndpoints from './endpoints/languages.ts';
import * as licenseEndpoints from './endpoints/license.ts';
import { interpreters } from './interpreters.ts';
import { measureFiles, measureMissing } from './jobs.ts';
import * as schemas from './schemas.ts';

export const contents = family({
  name: 'contents',
  effect: 'A branch gets a new commit that writes or deletes one file.',
  page: 'git.md#through-the-api',
  interpreters,
  schemas,
  endpoints: [filesEndpoints, archivesEndpoints, languagesEndpoints, licenseEndpoints, communityEndpoints],
  subscriptions: [measureFiles],
  jobs: [measureMissing],
});
