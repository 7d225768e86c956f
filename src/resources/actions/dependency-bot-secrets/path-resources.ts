import { secretResources } from '#resources/actions/actions-secrets/index.ts';
import { botStore } from './secret-store.ts';

/** A secret of the dependency bot, of an organization or of a repository. */
export const { orgSecret: orgBotSecret, repoSecret: repoBotSecret } = secretResources(botStore);
