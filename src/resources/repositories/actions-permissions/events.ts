import { eventKinds } from '#resources/event-kinds.ts';
import type { SelectionMode } from '#resources/repositories/repository-selections/index.ts';
import type { Said } from './settings.ts';

/** The settings in a request. */
type SettingsChange = Said & {
  readonly enabled_repositories?: SelectionMode;
  readonly self_hosted_runners_of?: SelectionMode;
  readonly enabled?: boolean;
  readonly access_level?: 'none' | 'user' | 'organization';
};

declare module '#events/kinds.ts' {
  interface EventData {
    /** Settings of a repository, or of an organization for all of its repositories. */
    'actions_settings.changed': SettingsChange;
  }
}

export const actionsSettingsEvents = eventKinds({ 'actions_settings.changed': 'no webhook' });
